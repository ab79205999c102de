/** Events between the work that has them and the stream that sends them. The work never waits for the stream. */
export class EventQueue<Event> {
  readonly #events: Event[] = []
  #isOver = false
  #wake: (() => void) | undefined

  push(event: Event): void {
    this.#events.push(event)
    this.#wake?.()
  }

  /** After the events so far, there are no more. */
  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  /** Waits for the next event, at most for this time. */
  async next(ms: number): Promise<Event | 'none yet' | 'over'> {
    if (this.#events.length === 0 && !this.#isOver) await this.#changed(ms)
    return this.#events.shift() ?? (this.#isOver ? 'over' : 'none yet')
  }

  async #changed(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}
