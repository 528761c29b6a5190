/**
 * Whether an object is plain data rather than an instance of a class. `Object.prototype` differs
 * between realms, but is always the end of the prototype chain.
 */
export function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
