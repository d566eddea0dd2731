import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InOrderByKey } from "./in-order.ts";

/** A host whose answers come in an order of its own choice. */
class SlowHost {
  readonly taken: string[] = [];
  private answers: (() => void)[] = [];

  send = (key: string, text: string): Promise<void> => {
    this.taken.push(`${key}:${text}`);
    return new Promise((resolve) => this.answers.push(resolve));
  };

  answer(which: number): void {
    this.answers.splice(which % Math.max(this.answers.length, 1), 1)[0]?.();
  }

  get busy(): number {
    return this.answers.length;
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("values in order", () => {
  it("keeps what is typed in its order, whatever the order of the answers", async () => {
    const step = fc.oneof(
      fc.record({ key: fc.constantFrom("a", "b"), text: fc.constantFrom("x", "y", "z") }),
      fc.nat(3),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const host = new SlowHost();
        const order = new InOrderByKey<string, string>(host.send, (one, two) => one + two);
        const typed: Record<string, string> = { a: "", b: "" };
        const all: Promise<void>[] = [];
        for (const one of steps) {
          if (typeof one === "number") {
            host.answer(one);
            await turn();
          } else {
            typed[one.key] += one.text;
            all.push(order.push(one.key, one.text));
          }
          expect(host.busy).toBeLessThanOrEqual(2);
        }
        while (host.busy > 0) {
          host.answer(0);
          await turn();
        }
        await Promise.all(all);
        for (const key of ["a", "b"]) {
          const taken = host.taken.filter((text) => text.startsWith(key));
          expect(taken.map((text) => text.slice(2)).join("")).toBe(typed[key]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("goes on after a failure", async () => {
    const taken: number[] = [];
    const order = new InOrderByKey<string, number>(
      (_, value) => {
        taken.push(value);
        return value === 1 ? Promise.reject(new Error("no")) : Promise.resolve();
      },
      (_, later) => later,
    );
    await expect(order.push("a", 1)).rejects.toThrow("no");
    await order.push("a", 2);
    expect(taken).toEqual([1, 2]);
  });
});
