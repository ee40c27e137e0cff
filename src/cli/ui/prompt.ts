import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

import { toPrintableLine } from '../../lib/text/characters.ts'
import { CliError } from '../cli-error.ts'

/** Questions go to standard error: standard output is for results. */
export async function ask(signal: AbortSignal, question: string, fallback?: string): Promise<string> {
  requireTerminal(question)
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  reader.on('SIGINT', interrupt)
  try {
    const suffix = fallback === undefined ? '' : ` (${fallback})`
    const given = (await reader.question(toPrintableLine(`${question}${suffix}: `), { signal })).trim()
    return given === '' ? (fallback ?? '') : given
  } finally {
    reader.close()
  }
}

/** Does not show what is typed. */
export async function askSecret(signal: AbortSignal, question: string): Promise<string> {
  requireTerminal(question)
  process.stderr.write(toPrintableLine(`${question}: `))
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  reader.on('SIGINT', interrupt)
  try {
    return (await reader.question('', { signal })).trim()
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}

export async function readLines(count: number): Promise<string[]> {
  const text = await Bun.stdin.text()
  return text
    .split(/\r?\n/)
    .slice(0, count)
    .map((line) => line.trim())
}

/** While it asks, the terminal sends Ctrl-C as a character. */
function interrupt(): void {
  process.kill(process.pid, 'SIGINT')
}

function requireTerminal(question: string): void {
  if (process.stdin.isTTY) return
  throw new CliError('usage', `${question} cannot be asked for: there is no terminal.`, {
    hint: 'Give it by flags or environment variables; "shelf login --stdin" reads a key from standard input.',
  })
}
