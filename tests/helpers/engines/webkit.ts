export const WEBKIT_PACKAGES = ['webkit2gtk-driver', 'xvfb'] as const

interface WebKit {
  driver: string
  /** The browser that the driver starts, a part of WebKit's library. */
  browser: string
}

export function findWebKit(): WebKit | null {
  const driver = Bun.which('WebKitWebDriver')
  const browsers = new Bun.Glob('usr/lib/*/webkit{gtk,2gtk}-*/MiniBrowser').scanSync({
    cwd: '/',
    absolute: true,
  })
  const [browser] = [...browsers].toSorted().toReversed()
  return driver === null || browser === undefined || !Bun.which('Xvfb') ? null : { driver, browser }
}
