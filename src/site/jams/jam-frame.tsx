import type { ComponentChildren } from 'preact'

import type { Deps } from '../../deps.ts'
import { jamPath } from '../../domain/site-urls.ts'
import { type JamAccess, openJam } from '../../features/jams/access.ts'
import type { JamHead, OwnJam } from '../../features/jams/jams/model.ts'
import { toJamHead, toOwnJam } from '../../features/jams/jams/responses.ts'
import type { Visit } from '../../http/visit.ts'
import { pathOf } from '../components/card.tsx'
import { DoneNotice, type Notices } from '../components/notice.tsx'
import { Badge } from '../kit/labels.tsx'
import { Layout, type PageFacts } from '../kit/layout.tsx'
import type { PageContext, PageProps } from '../kit/pages.ts'
import { NextTime, StateBadge } from './times.tsx'

interface Tab {
  /** What follows the address of the jam; empty for its own page. */
  page?: Parameters<typeof jamPath>[1]
  label: string
  isShown?: (shown: ShownJam) => boolean
}

/** The pages of a jam, in their order. */
const TABS: readonly Tab[] = [
  { label: 'About' },
  { page: 'entries', label: 'Entries' },
  { page: 'rate', label: 'Rate', isShown: ({ jam }) => jam.state === 'voting' },
  {
    page: 'results',
    label: 'Results',
    isShown: ({ jam }) => jam.state === 'past' && jam.voting_ends_at !== null,
  },
  { page: 'manage', label: 'Manage', isShown: ({ mayManage }) => mayManage },
]

interface JamFrameProps extends Omit<PageFacts, 'title' | 'style' | 'scripts'> {
  visit: Visit
  shown: ShownJam
  /** The label of the current page. */
  tab: string
  /** The title of the window, if it is not that of the tab. */
  title?: string
  notices?: Notices
  scripts?: NonNullable<PageFacts['scripts']>
  children: ComponentChildren
}

/** The frame of all pages of a jam: what it is, where it stands, and its tabs. */
export function JamFrame({ visit, shown, tab, title, notices = {}, children, ...facts }: JamFrameProps) {
  const { jam, now } = shown
  const { scripts = [], ...rest } = facts
  return (
    <Layout
      visit={visit}
      title={title ?? (tab === 'About' ? jam.title : `${tab} · ${jam.title}`)}
      style="jams"
      scripts={['jam', ...scripts]}
      {...rest}
    >
      <div class="jam">
        <header class={tab === 'About' ? 'jam-head' : 'jam-head brief'}>
          {jam.cover === null ? null : (
            <img class="jam-cover" src={pathOf(jam.cover)} width={1280} height={720} alt="" />
          )}
          <div>
            <p class="row small">
              <a href="/jams">Jams</a> <StateBadge state={jam.state} />
              {jam.visibility === 'public' ? null : (
                <Badge tone="warn">{jam.visibility === 'draft' ? 'Draft' : 'With the link'}</Badge>
              )}
            </p>
            {tab === 'About' ? (
              <h1 dir="auto">{jam.title}</h1>
            ) : (
              <p class="jam-title" dir="auto">
                {jam.title}
              </p>
            )}
            {jam.tagline === '' ? null : (
              <p class="lead" dir="auto">
                {jam.tagline}
              </p>
            )}
            <p class="jam-next">
              <NextTime {...{ jam, now }} />
            </p>
          </div>
        </header>
        <nav class="jam-tabs" aria-label="Jam">
          {TABS.filter(({ isShown }) => isShown?.(shown) ?? true).map(({ page, label }) => (
            <a key={label} href={jamPath(jam.slug, page)} aria-current={label === tab ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <DoneNotice visit={visit} notices={notices} />
        {children}
      </div>
    </Layout>
  )
}

/** A jam as pages of it show it to this visitor. */
export interface ShownJam<Shown extends JamHead = JamHead> {
  jam: Shown
  revision: number
  /** The clock of the database, in milliseconds. */
  now: number
  /** Whether the visitor hosts it or runs the store. */
  mayManage: boolean
}

/** Of a page that shows this of the jam. */
export type JamProps<Facts = unknown> = PageProps<Facts & { shown: ShownJam }>

type Services = Pick<Deps, 'db' | 'config'>
type Asked = Pick<PageContext, 'visit' | 'params'>

/** What the frame of its pages shows, with one statement. */
export async function openShownJam(services: Services, context: Asked): Promise<ShownJam> {
  return (await openAccess(services, context)).shown
}

/** The same, with the access for services that need it. */
export async function openAccess({ db, config }: Services, { visit, params }: Asked) {
  const access = await openJam(db, visit.actor, params['jam'] ?? '')
  return { access, shown: toShown(access, toJamHead(config.baseUrl, access)) }
}

/** With all that its own page and the forms of hosts show. */
export async function openWholeJam(
  { db, config }: Services,
  { visit, params }: Asked,
): Promise<ShownJam<OwnJam>> {
  const access = await openJam(db, visit.actor, params['jam'] ?? '')
  return toShown(access, await toOwnJam(db, config.baseUrl, access))
}

function toShown<Shown extends JamHead>(access: JamAccess, jam: Shown): ShownJam<Shown> {
  const { revision } = access.jam
  return { jam, revision, now: access.now.getTime(), mayManage: access.mayManage }
}
