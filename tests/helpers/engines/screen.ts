interface Screen {
  /** For the environment of what is shown on it. */
  DISPLAY: string
  close(): Promise<void>
}

/** A screen of its own, for programs that have no headless mode. */
export async function openScreen(width: number, height: number): Promise<Screen> {
  const options = ['-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp']
  const xvfb = Bun.spawn(['Xvfb', '-displayfd', '1', ...options], { stdout: 'pipe', stderr: 'ignore' })
  return {
    DISPLAY: `:${await readDisplay(xvfb.stdout)}`,
    async close() {
      xvfb.kill('SIGKILL')
      await xvfb.exited
    },
  }
}

/** Xvfb chooses a free display and prints its number once it is ready. */
async function readDisplay(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) return text.trim()
  }
  throw new Error('Xvfb ended before it was ready')
}
