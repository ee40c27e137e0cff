export interface PageBytes {
  html: number
  script: number
  css: number
}

/** Returns the gzip bytes of a page, its scripts and its styles. */
export async function measurePageBytes(url: string): Promise<PageBytes> {
  const html = await (await fetch(url)).text()
  const origin = new URL(url).origin
  const sum = async (pattern: RegExp) => {
    const paths = [...html.matchAll(pattern)].map((match) => match[1] ?? '')
    const sizes = await Promise.all(paths.map((path) => countGzip(origin + path)))
    return sizes.reduce((total, size) => total + size, 0)
  }
  return {
    html: await countGzip(url),
    script: await sum(/<script type="module" src="([^"]+)"/g),
    css: await sum(/<link rel="stylesheet" href="([^"]+)"/g),
  }
}

async function countGzip(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, decompress: false })
  const { byteLength } = await response.arrayBuffer()
  if (response.status !== 200 || response.headers.get('content-encoding') !== 'gzip')
    throw new Error(`${url} was not sent as gzip`)
  return byteLength
}
