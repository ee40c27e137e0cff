import { formatBytes } from '../../lib/text/show.ts'
import type { Output } from '../ui/output.ts'
import type { Phase } from '../ui/progress.ts'

type Step = 'fetched' | 'copied' | 'checked'

/** One bar for a whole installation, with what is fetched, copied and checked. */
export class InstallProgress implements Disposable {
  readonly #done: Record<Step, number> = { fetched: 0, copied: 0, checked: 0 }
  #phase: Phase | null = null

  constructor(
    private readonly output: Pick<Output, 'phase'>,
    private readonly phase: string,
    private readonly name: string,
  ) {}

  get fetched(): number {
    return this.#done.fetched
  }

  /** How many bytes are still to be fetched, copied and checked, as far as it is known. */
  expect(remaining: number): void {
    const total = this.#sum() + remaining
    if (this.#phase) this.#phase.resize(total)
    else if (remaining > 0)
      this.#phase = this.output.phase(this.phase, this.name, total, () => this.#describe())
  }

  advance(step: Step, bytes: number): void {
    this.#done[step] += bytes
    this.#phase?.advance(bytes)
  }

  [Symbol.dispose](): void {
    this.#phase?.[Symbol.dispose]()
    this.#phase = null
  }

  #sum(): number {
    return Object.values(this.#done).reduce((sum, bytes) => sum + bytes, 0)
  }

  #describe(): string {
    const steps = Object.entries(this.#done).filter(([, bytes]) => bytes > 0)
    return steps.map(([step, bytes]) => `${formatBytes(bytes)} ${step}`).join(', ')
  }
}
