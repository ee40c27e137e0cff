/** Types, format, lint and architecture; all are run, so that one call shows everything. */
const CHECKS = [
  ['types', ['bun', 'check', '--no-script']],
  ['types of islands', ['bun', 'check', '--no-script', '-p', 'src/site']],
  ['format', ['bun', 'fmt', '--no-script', '--check']],
  [
    'lint',
    [
      'node_modules/.bin/oxlint',
      '--type-aware',
      '--quiet',
      '-c',
      'infra/lint/oxlint.json',
      'src',
      'tests',
      'infra',
    ],
  ],
  ['architecture', ['bun', 'test', 'tests/unit/architecture.test.ts']],
] as const

/** The lint's Go program spends a fifth of its time collecting garbage unless it may use more memory. */
const ROOMY = { GOGC: '400', GOMEMLIMIT: '4GiB' }

let failed = 0
for (const [name, command] of CHECKS) {
  const child = Bun.spawn([...command], {
    env: { ...ROOMY, ...process.env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`)
  if (code === 0) continue
  failed += 1
  console.log(out + err)
}
process.exit(failed === 0 ? 0 : 1)
