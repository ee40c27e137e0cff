import { MAIN_APP } from '../../domain/builds/channels.ts'

interface OfApp {
  app: string
  app_name: string
}

export function isMain({ app }: Pick<OfApp, 'app'>): boolean {
  return app === MAIN_APP
}

/** The name of another app; empty for the game itself. */
export function otherAppText(part: OfApp, before = ''): string {
  return isMain(part) ? '' : before + part.app_name
}

/** The parts of every other app, in their order. */
export function groupOtherApps<Part extends OfApp>(parts: readonly Part[]): Part[][] {
  const others = parts.filter((part) => !isMain(part))
  return [...Map.groupBy(others, ({ app }) => app).values()]
}
