/** Sends a statement to the database in argv without waiting for it, and works on for a second after it failed. */
import { openDatabase } from '../../../src/db/client.ts'
import { handleUnawaitedOutages } from '../../../src/db/errors.ts'
import { createLogger } from '../../../src/lib/log.ts'

handleUnawaitedOutages(createLogger({ level: 'warn', pretty: false, write }))
void send()

function write(line: string): void {
  process.stdout.write(line)
  setTimeout(() => process.exit(0), 1000)
}

async function send(): Promise<void> {
  await openDatabase(process.argv[2] ?? '').db.execute('select pg_sleep(60)')
}
