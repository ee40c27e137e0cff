/** The text of a script for browsers with all that it imports. */
export async function bundleScript(path: string): Promise<string> {
  const result = await Bun.build({
    entrypoints: [path],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  return (await result.outputs[0]?.text()) ?? ''
}
