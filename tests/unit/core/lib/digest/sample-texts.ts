// Realistic contents, made up here and generated without randomness.

export function logText(lines: number, at: Readonly<Record<number, string>> = {}): string {
  const out: string[] = [];
  for (let number = 1; number <= lines; number += 1) {
    const time = `2024-03-0${(number % 9) + 1} 10:${String(number % 60).padStart(2, "0")}:07.123`;
    out.push(
      at[number] ?? `${time} INFO  worker-${number % 7} handled job ${number} in ${number % 90} ms`,
    );
  }
  return `${out.join("\n")}\n`;
}

export const TYPESCRIPT = `import { readFile } from "node:fs/promises";

export interface Station {
  readonly id: string;
}

export type Reading = { station: Station; celsius: number };

const LIMIT = 40;

export const isHot = (reading: Reading): boolean => reading.celsius > LIMIT;

export class Archive {
  private readonly readings: Reading[] = [];

  add(reading: Reading): void {
    if (reading.celsius > LIMIT) {
      throw new Error("too hot");
    }
    this.readings.push(reading);
  }

  async load(path: string): Promise<void> {
    const text = await readFile(path, "utf8");
    for (const line of text.split("\\n")) {
      this.add(JSON.parse(line));
    }
  }
}

export async function main(): Promise<void> {
  const archive = new Archive();
  await archive.load("readings.jsonl");
}
`;

export const PYTHON = `"""Tide tables."""
import math
from dataclasses import dataclass

@dataclass
class Harbour:
    name: str

    def depth(self, hour):
        if hour < 0:
            raise ValueError("hour")
        return math.sin(hour)

async def fetch(harbour):
    return await harbour.depth(3)

def main():
    for hour in range(24):
        print(Harbour("Ems").depth(hour))
`;

export const GO = `package tide

import "fmt"

type Harbour struct {
	Name string
}

func (h *Harbour) Depth(hour int) (float64, error) {
	if hour < 0 {
		return 0, fmt.Errorf("hour %d", hour)
	}
	return 1.5, nil
}

func Main() {
	fmt.Println("ok")
}
`;

export const RUST = `use std::fmt;

pub struct Harbour {
    name: String,
}

impl fmt::Display for Harbour {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

pub(crate) fn depth(hour: u32) -> f64 {
    let x = hour as f64;
    x.sin()
}
`;

export const JAVA = `package org.example.tide;

import java.util.List;

public class Harbour {
    private final String name;

    public Harbour(String name) {
        this.name = name;
    }

    public double depth(int hour) throws TideException {
        if (hour < 0) {
            throw new TideException("hour");
        }
        return Math.sin(hour);
    }
}
`;

export const C = `#include <stdio.h>

struct harbour {
    const char *name;
};

static double depth(const struct harbour *h, int hour)
{
    if (hour < 0) {
        return 0;
    }
    return hour * 0.5;
}

int main(int argc, char **argv) {
    printf("%f\\n", depth(NULL, argc));
    return 0;
}
`;

export const RUBY = `require "json"

module Tide
  class Harbour
    def initialize(name)
      @name = name
    end

    def depth(hour)
      return 0 if hour < 0
      Math.sin(hour)
    end
  end
end
`;

export const MARKDOWN = `# Tide tables

Some words about [tides](https://example.org/tides) and **harbours**.

## Install

\`\`\`sh
# not a heading
npm install tide
\`\`\`

Usage
-----

- one
- two

### Details of the harbour

More words.
`;

export const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
<title>Tides &amp; harbours</title>
<style>h1 { color: red }</style>
<script>document.write("<h1>not me</h1>");</script>
</head>
<body>
<!-- <h2>nor me</h2> -->
<h1 class="x">Tides
  today</h1>
<p>Low water at noon.</p>
<h2>Ems &#8211; Leer &lt;north&gt;</h2>
<p>Text with <b>bold</b>.</p>
</body>
</html>
`;

export const DIFF = `diff --git a/src/tide.ts b/src/tide.ts
index 1111111..2222222 100644
--- a/src/tide.ts
+++ b/src/tide.ts
@@ -1,3 +1,4 @@ export class Tide {
 a
+b
+c
-d
@@ -20,2 +21,2 @@
-x
+y
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

export function csvText(rows: number): string {
  const lines = ["id,name,harbour,depth"];
  for (let id = 1; id <= rows; id += 1) lines.push(`${id},"Buoy, no. ${id}",Ems,${id / 2}`);
  return `${lines.join("\n")}\n`;
}

/** The numbers and texts of all lines that a digest quotes as `12: text`. */
export function quotedLines(digest: string): { readonly number: number; readonly text: string }[] {
  return digest.split("\n").flatMap((line) => {
    const match = /^(\d+): (.*)$/s.exec(line);
    return match === null ? [] : [{ number: Number(match[1]), text: match[2] ?? "" }];
  });
}

/** Whether every surrogate has its other half. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Every code point that a reader cannot see, by Unicode's own properties, and the ones that were found by hand. */
export function hiddenCodePoints(): number[] {
  const hidden = /^[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]$/u;
  const found = [0xfe0f, 0x115f, 0x1160, 0x3164, 0x2800, 0x034f, 0xffa0, 0x1d173, 0x180e, 0xfeff];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    if (codePoint === 9 || codePoint === 10) continue;
    if (hidden.test(String.fromCodePoint(codePoint))) found.push(codePoint);
  }
  return found;
}
