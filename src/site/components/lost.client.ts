const WAIT_MS = 3000
const WAIT_MAX_MS = 60_000

interface LostOptions {
  /** Asks again for what could not be shown. */
  retry: () => void
  /** What is said of somebody who asked too often. */
  tooFast: string
}

/**
 * For pages that change in place. While the store cannot answer, what was chosen stays, `#lost` says why it is not
 * shown yet, and it is asked for again: when the browser is online, and periodically.
 */
export class Lost {
  #address: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #wait = WAIT_MS

  constructor(private readonly options: LostOptions) {
    addEventListener('online', this.#retry)
  }

  /** What was chosen but not shown when the page was loaded again; its own address has only what was shown. */
  static kept(): string | null {
    const { missed } = (history.state ?? {}) as { missed?: string }
    return missed ?? null
  }

  /** Call before a request. */
  begin(): void {
    this.#address = null
    clearTimeout(this.#timer)
  }

  /** Call after one that was answered. */
  found(): void {
    this.#wait = WAIT_MS
    history.replaceState(null, '')
    document.querySelector('#lost')?.replaceChildren()
  }

  /** Call after one that failed; whatever else is wrong with an address is told by the page that it leads to. */
  miss(address: string, response?: Response): void {
    this.#address = address
    history.replaceState({ missed: address }, '')
    const asked = Number(response?.headers.get('retry-after')) * 1000
    this.#timer = setTimeout(this.#retry, Math.max(this.#wait, Math.min(asked || 0, WAIT_MAX_MS)))
    this.#wait = Math.min(this.#wait * 2, WAIT_MAX_MS)
    if (response?.status === 429) this.#tell(this.options.tooFast)
    else this.#tell(navigator.onLine ? 'The store cannot be reached.' : 'You are offline.')
  }

  readonly #retry = (): void => {
    if (this.#address !== null) this.options.retry()
  }

  /** Does nothing if the text is shown already, so that screen readers do not repeat it. */
  #tell(text: string): void {
    const place = document.querySelector('#lost')
    if (!place || place.querySelector('strong')?.textContent === text) return
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button second'
    button.textContent = 'Try again'
    button.addEventListener('click', this.#retry)
    const [words, said] = [document.createElement('p'), document.createElement('strong')]
    said.textContent = text
    words.append(
      said,
      ' What you see is from before. Your choice is kept, and applied as soon as the store answers.',
    )
    place.replaceChildren(words, button)
  }
}

/** Whether the store itself could not answer. */
export function isLost({ status }: Response): boolean {
  return status === 429 || status >= 500
}
