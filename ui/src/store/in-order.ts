/**
 * Sends values one after the other, never two at once.
 *
 * Two commands that are under way together may arrive in either order: keys would change
 * places, and an old size would win over a new one. What comes while one is under way is
 * merged into the next.
 */
export class InOrder<T> {
  private waiting: { value: T } | null = null;
  private last: Promise<void> | null = null;

  constructor(
    private readonly send: (value: T) => Promise<void>,
    private readonly merge: (earlier: T, later: T) => T,
  ) {}

  /** Sends a value after those before it; resolves when nothing waits any more. */
  push(value: T): Promise<void> {
    const { waiting } = this;
    this.waiting = { value: waiting === null ? value : this.merge(waiting.value, value) };
    this.last ??= this.drain();
    return this.last;
  }

  /** Whether nothing waits and nothing is under way. */
  get idle(): boolean {
    return this.waiting === null && this.last === null;
  }

  private async drain(): Promise<void> {
    try {
      while (this.waiting !== null) {
        const { value } = this.waiting;
        this.waiting = null;
        await this.send(value);
      }
    } finally {
      this.last = null;
    }
  }
}

/** One for each key, made when it is first needed and dropped when it is idle again. */
export class InOrderByKey<K, T> {
  private readonly queues = new Map<K, InOrder<T>>();

  constructor(
    private readonly send: (key: K, value: T) => Promise<void>,
    private readonly merge: (earlier: T, later: T) => T,
  ) {}

  /** Sends a value after those of the same key. */
  async push(key: K, value: T): Promise<void> {
    const queue = this.queues.get(key) ?? new InOrder((one: T) => this.send(key, one), this.merge);
    this.queues.set(key, queue);
    try {
      await queue.push(value);
    } finally {
      if (queue.idle) {
        this.queues.delete(key);
      }
    }
  }
}
