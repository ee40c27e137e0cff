const WINDOW_MS = 8000
const UNITS = ['bytes', 'KB', 'MB', 'GB']

/** Shows one running upload: phase, bar, speed and time left. */
export class UploadPanel {
  readonly #root: HTMLElement
  readonly #bar: HTMLProgressElement
  readonly #phase: HTMLElement
  readonly #figures: HTMLElement
  readonly pause: HTMLButtonElement
  readonly cancel: HTMLButtonElement
  #samples: { at: number; bytes: number }[] = []
  #total = 1

  constructor(root: HTMLElement) {
    this.#root = root
    this.#bar = part(root, 'progress', HTMLProgressElement)
    this.#phase = part(root, '[data-phase]', HTMLElement)
    this.#figures = part(root, '[data-figures]', HTMLElement)
    this.pause = part(root, '[data-pause]', HTMLButtonElement)
    this.cancel = part(root, '[data-cancel]', HTMLButtonElement)
  }

  open(name: string, total: number): void {
    part(this.#root, '[data-name]', HTMLElement).textContent = name
    this.#total = Math.max(1, total)
    this.#root.hidden = false
    this.#root.scrollIntoView({ block: 'nearest' })
  }

  close(): void {
    this.#root.hidden = true
  }

  /** Announced by screen readers, so only when it changes. */
  phase(text: string, canPause: boolean): void {
    if (this.#phase.textContent !== text) this.#phase.textContent = text
    this.pause.hidden = !canPause
  }

  /** Forgets the speed of the phase before. */
  restart(): void {
    this.#samples = []
  }

  progress(bytes: number): void {
    this.#bar.value = bytes / this.#total
    const now = performance.now()
    this.#samples = [...this.#samples.filter(({ at }) => now - at < WINDOW_MS), { at: now, bytes }]
    this.#figures.textContent = [
      `${sizeText(bytes)} of ${sizeText(this.#total)}`,
      ...this.#speedTexts(bytes),
    ].join(' · ')
  }

  #speedTexts(bytes: number): string[] {
    const [first] = this.#samples
    const last = this.#samples.at(-1)
    if (!first || !last || last.at - first.at < 500 || last.bytes <= first.bytes) return []
    const speed = ((last.bytes - first.bytes) / (last.at - first.at)) * 1000
    return [`${sizeText(speed)}/s`, `${timeText((this.#total - bytes) / speed)} left`]
  }
}

export function part<Kind extends HTMLElement>(
  root: ParentNode,
  selector: string,
  kind: new () => Kind,
): Kind {
  const found = root.querySelector(selector)
  if (!(found instanceof kind)) throw new Error(`The page lacks ${selector}`)
  return found
}

function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}
