import type { ComponentChildren } from 'preact'

import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import { Layout } from '../kit/layout.tsx'

const TABS = {
  '/operate': 'Status',
  '/operate/jobs': 'Jobs',
  '/operate/reports': 'Reports',
  '/operate/listings': 'Listings',
  '/operate/accounts': 'Accounts',
  '/operate/audit': 'Audit log',
} as const

interface FrameProps {
  visit: Visit
  tab: keyof typeof TABS
  /** The heading, where it is not the name of the tab. */
  title?: string
  notice?: string | undefined
  children: ComponentChildren
}

/** The frame of every page for operators. */
export function OperateFrame({ visit, tab, title = TABS[tab], notice, children }: FrameProps) {
  return (
    <Layout visit={visit} title={title} style="operate">
      <div class="operate">
        <nav aria-label="Operate">
          <ul class="operate-tabs">
            {Object.entries(TABS).map(([path, label]) => (
              <li key={path}>
                <a href={path} aria-current={path === tab ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        <h1>{title}</h1>
        {children}
      </div>
    </Layout>
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

interface FinderProps {
  visit: Visit
  label: string
  hint: string
  /** A box that narrows the list: the parameter that becomes `true`, and its label. */
  only: { name: string; label: string }
}

export function Finder({ visit, label, hint, only }: FinderProps) {
  const { pathname, searchParams } = visit.url
  return (
    <search>
      <form class="operate-finder" action={pathname} method="get">
        <div class="field">
          <label for="find">{label}</label>
          <input
            class="input"
            id="find"
            type="search"
            name="q"
            value={searchParams.get('q') ?? ''}
            maxLength={200}
            aria-describedby="find-hint"
          />
          <p class="hint" id="find-hint">
            {hint}
          </p>
        </div>
        <div class="check">
          <input
            id="only"
            type="checkbox"
            name={only.name}
            value="true"
            checked={searchParams.get(only.name) === 'true'}
          />
          <label for="only">{only.label}</label>
        </div>
        <button class="button second" type="submit">
          Find
        </button>
      </form>
    </search>
  )
}
