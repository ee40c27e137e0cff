import type { ComponentChildren } from 'preact'

import type { Visit } from '../../http/visit.ts'
import { DoneNotice, type Notices } from '../components/notice.tsx'
import { TabMenu } from '../components/tab-menu.tsx'
import { Check, FaultSummary, Submit, TextField } from '../kit/form.tsx'
import { numberText } from '../kit/labels.tsx'
import { Layout, type PageFacts } from '../kit/layout.tsx'
import type { PageState } from '../kit/pages.ts'

const TABS = {
  '/operate': 'Status',
  '/operate/jobs': 'Jobs',
  '/operate/queue': 'Queue',
  '/operate/reports': 'Reports',
  '/operate/listings': 'Listings',
  '/operate/collections': 'Collections',
  '/operate/searches': 'Searches',
  '/operate/accounts': 'Accounts',
  '/operate/invites': 'Invites',
  '/operate/sales': 'Sales',
  '/operate/settings': 'Settings',
  '/operate/audit': 'Audit log',
} as const

interface FrameProps {
  state: PageState
  tab: keyof typeof TABS
  /** The heading; by default the name of the tab. */
  title?: string
  notices?: Notices
  scripts?: PageFacts['scripts']
  children: ComponentChildren
}

/** The frame of every page for operators. */
export function OperateFrame({
  state,
  tab,
  title = TABS[tab],
  notices = {},
  scripts = [],
  children,
}: FrameProps) {
  const { visit, refused, tabCounts = {} } = state
  const waiting = Object.values(tabCounts).reduce((sum, count) => sum + count, 0)
  return (
    <Layout visit={visit} title={title} style="operate" scripts={scripts}>
      <div class="operate">
        <nav class="operate-tabs" aria-label="Operate">
          <TabLinks {...{ visit, tab, tabCounts }} />
        </nav>
        <TabMenu
          of="Operate"
          summary={
            <>
              {TABS[tab]}
              <Waiting count={waiting} />
            </>
          }
        >
          <TabLinks {...{ visit, tab, tabCounts }} />
        </TabMenu>
        <DoneNotice visit={visit} notices={notices} />
        <h1 dir={title === TABS[tab] ? undefined : 'auto'}>{title}</h1>
        <FaultSummary form={refused?.form} />
        {children}
      </div>
    </Layout>
  )
}

interface TabLinksProps {
  visit: Visit
  tab: string
  tabCounts: NonNullable<PageState['tabCounts']>
}

function TabLinks({ visit, tab, tabCounts }: TabLinksProps) {
  return (
    <ul class="tab-links">
      {Object.entries(TABS)
        .filter(([path]) => visit.store.sells || path !== '/operate/sales')
        .map(([path, label]) => (
          <li key={path}>
            <a href={path} aria-current={path === tab ? 'page' : undefined}>
              {label}
              <Waiting count={tabCounts[path] ?? 0} />
            </a>
          </li>
        ))}
    </ul>
  )
}

/** The number of pending items on a tab. */
function Waiting({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <>
      {' '}
      <span class="tab-count">
        {numberText(count)}
        <span class="visually-hidden"> waiting</span>
      </span>
    </>
  )
}

/** Links that narrow a list by one parameter; the first value is the default. */
export function States({
  visit,
  name,
  values,
}: {
  visit: Visit
  name: string
  values: Record<string, string>
}) {
  const { pathname, searchParams } = visit.url
  const [first = ''] = Object.keys(values)
  const wanted = searchParams.get(name) ?? first
  const current = wanted in values ? wanted : first
  return (
    <ul class="chips" aria-label="Show">
      {Object.entries(values).map(([value, label]) => (
        <li key={value}>
          <a
            class="chip"
            href={value === first ? pathname : `${pathname}?${name}=${value}`}
            aria-current={value === current ? 'true' : undefined}
          >
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

const FIND_MAX = 200

interface FinderProps {
  visit: Visit
  label: string
  hint: string
  /** A checkbox that narrows the list: the parameter that it sets to `true`, and its label. */
  only: { name: string; label: string }
}

export function Finder({ visit, label, hint, only }: FinderProps) {
  const { pathname, searchParams } = visit.url
  return (
    <search>
      <form class="operate-finder" action={pathname} method="get">
        <TextField
          {...{ form: { values: searchParams, faults: [] }, scope: 'find', name: 'q', label, hint }}
          type="search"
          maxLength={FIND_MAX}
        />
        <Check {...only} checked={searchParams.get(only.name) === 'true'} />
        <Submit look="second">Find</Submit>
      </form>
    </search>
  )
}

interface TileProps {
  value: string
  label: string
  href?: string | undefined
  isBad?: boolean
}

/** One figure in a row of figures. */
export function Tile({ value, label, href, isBad = false }: TileProps) {
  return (
    <li class={isBad ? 'tile bad' : 'tile'}>
      <strong>{value}</strong>
      {href === undefined ? <span>{label}</span> : <a href={href}>{label}</a>}
    </li>
  )
}
