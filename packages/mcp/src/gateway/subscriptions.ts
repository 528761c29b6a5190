import { SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/client";
import {
  asList,
  asParams,
  asText,
  notification,
  type Params,
  type RpcAnswer,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
} from "./json-rpc.js";

/** The notices of a list that has changed, by the field that asks for them. */
const CHANGES = {
  toolsListChanged: "notifications/tools/list_changed",
  promptsListChanged: "notifications/prompts/list_changed",
  resourcesListChanged: "notifications/resources/list_changed",
} as const;
type Change = keyof typeof CHANGES;

/** What a client without a handshake wants to be told, until it cancels that. */
interface Subscription {
  readonly changes: ReadonlySet<string>;
  readonly uris: ReadonlySet<string>;
  readonly end: (answer: RpcAnswer | undefined) => void;
}

export interface SubscriptionsOptions {
  readonly send: (message: RpcNotification) => void;
  /** Resources are watched for a client, or not any more. */
  readonly onUris: (added: readonly string[], removed: readonly string[]) => void;
}

/** Change notices for clients without a handshake, which ask for them by `subscriptions/listen`. */
export class Subscriptions {
  readonly #open = new Map<RpcId, Subscription>();

  constructor(private readonly options: SubscriptionsOptions) {}

  /** Stays open until the client cancels it, which has no answer, or the gateway ends. */
  listen({ id, params }: RpcRequest): Promise<RpcAnswer | undefined> {
    const filter = asParams(params?.["notifications"]);
    const changes = (Object.keys(CHANGES) as Change[]).filter((name) => filter[name] === true);
    const uris = asList(filter["resourceSubscriptions"]).flatMap((uri) => asText(uri) ?? []);
    const honoured = {
      ...Object.fromEntries(changes.map((name) => [name, true])),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    return new Promise((resolve) => {
      this.#open.set(id, {
        changes: new Set(changes.map((name) => CHANGES[name])),
        uris: new Set(uris),
        end: resolve,
      });
      this.#send(
        id,
        notification("notifications/subscriptions/acknowledged", { notifications: honoured }),
      );
      this.options.onUris(uris, []);
    });
  }

  /** False if the request is not a subscription. */
  cancel(id: RpcId): boolean {
    const subscription = this.#open.get(id);
    if (!subscription) return false;
    this.#open.delete(id);
    const others = new Set([...this.#open.values()].flatMap(({ uris }) => [...uris]));
    this.options.onUris(
      [],
      [...subscription.uris].filter((uri) => !others.has(uri)),
    );
    subscription.end(undefined);
    return true;
  }

  /** Passes a notice on to whoever asked for it. */
  publish(message: RpcNotification): void {
    const uri = asText(message.params?.["uri"]);
    const isUpdate = message.method === "notifications/resources/updated" && uri !== undefined;
    for (const [id, { changes, uris }] of this.#open) {
      if (isUpdate ? uris.has(uri) : changes.has(message.method)) this.#send(id, message);
    }
  }

  close(): void {
    for (const [id, { end }] of this.#open) {
      end({ result: { resultType: "complete", _meta: { [SUBSCRIPTION_ID_META_KEY]: id } } });
    }
    this.#open.clear();
  }

  #send(id: RpcId, { method, params = {} }: RpcNotification): void {
    const _meta: Params = { ...asParams(params["_meta"]), [SUBSCRIPTION_ID_META_KEY]: id };
    this.options.send(notification(method, { ...params, _meta }));
  }
}
