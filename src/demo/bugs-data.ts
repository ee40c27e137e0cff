import type { TicketSource, TicketStatus } from '../domain/bugs.ts'
import type { OperatingSystem } from '../domain/builds/platforms.ts'
import type { SceneName } from './art/pictures.ts'
import type { PlayerName } from './people.ts'

export interface DemoTicket {
  by: PlayerName
  daysAgo: number
  message: string
  source: TicketSource
  status: TicketStatus
  version?: string
  os?: OperatingSystem
  log?: string
  /** What the screenshot shows. */
  screen?: SceneName
  fixedIn?: string
  /** Of the developer, oldest first. */
  notes?: readonly string[]
  /** HTTP statuses of the webhook's attempts, oldest first; null for no answer. */
  attempts: readonly (number | null)[]
}

/** A receiver that a developer would run on their own machine. */
export const DEMO_WEBHOOK = 'http://127.0.0.1:9900/bugs'
export const DEMO_BUG_GAME = 'the-last-ferry'

export const DEMO_TICKETS: readonly DemoTicket[] = [
  {
    by: 'robin-player',
    daysAgo: 21,
    message: 'The ferry leaves without me when I talk to the man with the birdcage while the bell rings.',
    source: 'game',
    status: 'fixed',
    version: '1.4.1',
    os: 'windows',
    log: 'quay: bell 1\nquay: bell 2\ndialog: birdcage open\nferry: left with 0 passengers\n',
    screen: 'sea',
    fixedIn: '1.4.2',
    notes: ['The bell does not wait for open dialogs. It should.'],
    attempts: [200],
  },
  {
    by: 'marguerite',
    daysAgo: 12,
    message: 'After the sixth crossing the subtitles are a line behind what is said.',
    source: 'store',
    status: 'in_progress',
    version: '1.4.2',
    os: 'macos',
    notes: ['Only in Portuguese, as far as we can see.'],
    attempts: [null, 200],
  },
  {
    by: 'bea-and-dog',
    daysAgo: 9,
    message: 'The dog can be petted through a closed door. The dog does not mind. I report it for the door.',
    source: 'game',
    status: 'closed',
    version: '1.4.2',
    os: 'linux',
    screen: 'rooms',
    notes: ['Staying in. The dog voted.'],
    attempts: [200],
  },
  {
    by: 'tomasz-w',
    daysAgo: 3,
    message: 'Black screen after waking the laptop. The music goes on, very calm.',
    source: 'game',
    status: 'open',
    version: '1.5.0-beta',
    os: 'windows',
    log: 'display: lost\ndisplay: restored at 0x0\nrender: nothing to draw\n',
    attempts: [503, 503, 200],
  },
  {
    by: 'lin-q',
    daysAgo: 1,
    message: 'The map shows the northern pier twice, and I can walk to both.',
    source: 'game',
    status: 'open',
    version: '1.5.0-beta',
    os: 'linux',
    screen: 'contours',
    attempts: [500, 500, null, null, 500, 500, 500, 500, 500],
  },
]
