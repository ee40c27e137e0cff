import { DEMO_APPS } from './apps/demo-apps.ts'
import { TICKET_PATH } from './by-hand.ts'
import { type ExtStoreDouble, startExtStoreDouble } from './double.ts'

const DEMO_KEY = 'D0D0D0D0D0D0D0D0D0D0D0D0D0D0D0D0'
const PORT = 8090

/** Starts the double with sample data, for manual testing. */
export async function serveExtStoreDouble(): Promise<ExtStoreDouble> {
  const double = await startExtStoreDouble({ port: PORT })
  const apps = Object.entries(DEMO_APPS)
  double.addKey(
    DEMO_KEY,
    apps.map(([, app]) => app.appId),
  )
  const lines = [
    'A double of the external store:',
    ...Object.entries(double.env).map(([name, value]) => `  ${name}=${value}`),
    `Publisher key for all its apps: ${DEMO_KEY}`,
    ...apps.map(([kind, { appId }]) => `  ${appId}  ${kind}`),
    'A ticket, as a game would get it with the ticket key of the listing:',
    `  curl '${double.origin}${TICKET_PATH}?app_id=${DEMO_APPS.paid.appId}&identity=<ticket_key>'`,
    '',
  ]
  process.stdout.write(lines.join('\n'))
  return double
}

if (import.meta.main) await serveExtStoreDouble()
