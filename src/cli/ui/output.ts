import { styleText } from 'node:util'

import { toPrintable } from '../../lib/text/characters.ts'
import { redactText } from '../../lib/text/redact.ts'
import { type CliError, EXIT } from '../cli-error.ts'
import { type Phase, startPhase } from './progress.ts'

interface OutputOptions {
  isJson: boolean
  isQuiet: boolean
  hasColor: boolean
  /** Never printed, wherever they come from. */
  secrets: () => readonly string[]
}

const CLEAR_LINE = '\r\u001B[2K'

/** Results go to standard output, everything else to standard error. */
export class Output {
  #hasBar = false

  constructor(private readonly options: OutputOptions) {}

  /** A result for people. */
  result(text: string): void {
    if (!this.options.isJson) process.stdout.write(`${this.#clean(text)}\n`)
  }

  /** The result for programs; call it once. */
  json(value: unknown): void {
    if (this.options.isJson) process.stdout.write(`${this.#clean(JSON.stringify(value))}\n`)
  }

  note(text: string): void {
    this.#write(this.#clean(text))
  }

  warn(text: string): void {
    this.#write(`${this.#paint('yellow', 'warning:')} ${this.#clean(text)}`)
  }

  fail(error: CliError): void {
    const { hint, code } = error
    const message = redactText(error.message)
    this.json({ error: { exit: EXIT[error.exit], code, message, hint } })
    const shown = code === null ? message : `${message} (${code})`
    const text = this.#clean(`${shown}${hint === null ? '' : `\n${hint}`}`)
    process.stderr.write(`${this.#wrap(`${this.#paint('red', 'error:')} ${text}`)}\n`)
  }

  phase(phase: string, name: string, total: number, describe?: () => string): Phase {
    const { isQuiet } = this.options
    return startPhase(
      {
        columns: () => (process.stderr.isTTY && !isQuiet ? process.stderr.columns || 80 : null),
        draw: (line) => {
          process.stderr.write(CLEAR_LINE + this.#clean(line))
          this.#hasBar = line !== ''
        },
        line: (text) => this.note(text),
      },
      { phase, name, total, describe },
    )
  }

  #write(text: string): void {
    if (this.options.isQuiet) return
    // The bar is drawn again below the note.
    process.stderr.write(`${this.#hasBar ? CLEAR_LINE : ''}${this.#wrap(text)}\n`)
    this.#hasBar = false
  }

  /** Without secrets, and without characters by which a server or a file name could steer the terminal. */
  #clean(text: string): string {
    return this.options
      .secrets()
      .filter((secret) => secret.length >= 8)
      .reduce((result, secret) => result.replaceAll(secret, '[redacted]'), toPrintable(text))
  }

  /** Terminals break lines inside words. */
  #wrap(text: string): string {
    const { isTTY, columns } = process.stderr
    if (!isTTY || !(columns > 0)) return text
    return text.replaceAll(/^( *)(.+)$/gm, (_, indent: string, line: string) =>
      Bun.wrapAnsi(line, columns - indent.length).replaceAll(/^/gm, indent),
    )
  }

  #paint(color: 'red' | 'yellow', text: string): string {
    return this.options.hasColor ? styleText(color, text, { validateStream: false }) : text
  }
}
