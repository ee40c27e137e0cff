const COMMANDS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Where there is no browser, the address that was printed has to do. */
export function openBrowser(address: string, platform: NodeJS.Platform): void {
  const [program = '', ...args] = COMMANDS[platform] ?? ['xdg-open']
  if (Bun.which(program) === null) return
  Bun.spawn([program, ...args, address], { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
}
