import type { Deps } from '../../../deps.ts'
import { countBlanks, LEGAL_PAGES } from '../../../domain/legal-pages.ts'
import { describeSharedDomain } from '../../../domain/play-origins.ts'
import type { StorePage } from '../../../domain/store-settings.ts'
import { isEmail } from '../../../lib/text/names.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { settingsOf } from '../../settings/reader.ts'
import { hasEmbeddedData, readLastBackup } from '../../storage/backup-notes.ts'
import type { Status } from '../status/model.ts'
import { countPublicListings } from './queries.ts'

const BACKUP_DAYS = 7

export interface CheckItem {
  name: string
  /** `check`: the program cannot tell, so the operator has to check. */
  state: 'done' | 'todo' | 'check'
  /** The finding, and what to do about it. */
  text: string
  href?: string
}

/** What a new store still needs, each with what to do about it. */
export async function listChecklist(
  deps: Deps,
  { services }: Pick<Status, 'services'>,
): Promise<CheckItem[]> {
  const { mail, storage, scanner, meili } = deps.config
  const { pages, sign_up, contact } = await settingsOf(deps).read()
  const listings = await countPublicListings(deps.db)
  const service = (name: string, item: Omit<CheckItem, 'name'>): CheckItem => {
    const found = services.find((one) => one.name === name)
    if (!found || found.up) return { name, ...item }
    return { name, state: 'todo', text: `${found.error ?? 'It does not answer'}. ${found.advice}` }
  }
  const sharedDomain = describeSharedDomain(deps.config)
  return [
    service(
      'mail',
      mail.smtpUrl
        ? { state: 'done', text: 'Mails are sent by SMTP.' }
        : {
            state: 'todo',
            text: 'Mails are written to a folder and reach nobody. Set SMTP_URL and MAIL_FROM.',
          },
    ),
    service('storage', {
      state: 'done',
      text:
        storage.kind === 's3'
          ? 'Files are in an S3 bucket.'
          : 'Files are in a folder of this machine. With several machines, set STORAGE_URL to an S3 bucket.',
    }),
    service('search', {
      state: 'done',
      text: meili
        ? 'Meilisearch answers, and Postgres stands in for it.'
        : 'Postgres answers searches. MEILI_URL adds Meilisearch.',
    }),
    service(
      'scanner',
      scanner.kind === 'builtin'
        ? {
            state: 'todo',
            text: 'The built-in scanner knows few threats. Set SCANNER_URL to a clamd before strangers upload.',
          }
        : { state: 'done', text: 'Every file is scanned by ClamAV.' },
    ),
    ...(sharedDomain === null ? [] : [{ name: 'games', state: 'todo' as const, text: sharedDomain }]),
    await checkBackups(deps),
    contact === null
      ? {
          name: 'contact',
          state: 'todo',
          text: 'Nobody can reach you: error pages and mails name no contact, and mails cannot be answered. Enter an e-mail address.',
          href: '/operate/settings#footer',
        }
      : {
          name: 'contact',
          state: 'done',
          text: isEmail(contact)
            ? `Answers to mails of the store go to ${contact}.`
            : 'Error pages and mails name your contact page. Mails can be answered once the contact is an e-mail address.',
        },
    checkLegalPages(pages),
    listings > 0
      ? { name: 'first game', state: 'done', text: 'The store has a public listing.' }
      : {
          name: 'first game',
          state: 'todo',
          text: 'Nothing is published. Publish a game yourself, or invite a developer.',
          href: sign_up === 'open' ? '/studio/new' : '/operate/invites',
        },
  ]
}

function checkLegalPages(pages: readonly StorePage[]): CheckItem {
  const name = 'legal pages'
  const missing = Object.keys(LEGAL_PAGES).filter((slug) => !pages.some((page) => page.slug === slug))
  if (missing.length > 0) {
    const text = `Write the pages that the law asks for: ${missing.join(', ')} missing.`
    return { name, state: 'todo', text, href: `/operate/settings/page?new=${missing[0]}` }
  }
  const unfilled = pages.filter(({ markdown }) => countBlanks(markdown) > 0).map(({ slug }) => slug)
  if (unfilled.length === 0) return { name, state: 'done', text: 'Privacy, terms and imprint are there.' }
  const text = `There are blanks to fill in ${unfilled.join(', ')}.`
  return { name, state: 'todo', text, href: `/operate/settings/page?slug=${unfilled[0]}` }
}

async function checkBackups({ config: { dataDir } }: Deps): Promise<CheckItem> {
  const name = 'backups'
  if (!(await hasEmbeddedData(dataDir))) {
    const text =
      'Postgres and the object store are yours to back up. Restore a copy once, to know that it works.'
    return { name, state: 'check', text }
  }
  const last = await readLastBackup(dataDir)
  const days = last ? Math.floor((Date.now() - last.getTime()) / DAY_MS) : Infinity
  if (days < BACKUP_DAYS) return { name, state: 'done', text: 'There is a backup of this week.' }
  const text = `${last ? `The last backup is ${days} days old` : 'There is no backup'}. Run playshelf backup <file> daily, and keep the file elsewhere.`
  return { name, state: 'todo', text }
}
