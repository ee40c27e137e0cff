import type { ComponentChildren } from 'preact'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { getListing, type Revised } from '../../../features/listings/page/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { pathOf } from '../../components/card.tsx'
import { PictureIcon } from '../../components/icons.tsx'
import { DoneNotice, type Notices } from '../../components/notice.tsx'
import { TabMenu } from '../../components/tab-menu.tsx'
import { Badge, VISIBILITY_LABELS } from '../../kit/labels.tsx'
import { Layout, type PageFacts } from '../../kit/layout.tsx'
import { type Act, type PageProps, pagesAbout, requireUser, type ShowPage } from '../../kit/pages.ts'

interface StudioPageProps {
  visit: Visit
  project: Project
  /** The path of the current tab. */
  tab: string
  /** What the tab is for, in a sentence. */
  lead?: ComponentChildren
  notices?: Notices
  scripts?: PageFacts['scripts']
  children: ComponentChildren
}

/** The frame of a project: which one it is, and its tabs. */
export function StudioPage({ visit, project, tab, lead, notices = {}, scripts, children }: StudioPageProps) {
  const label = labelOf(tab)
  return (
    <Layout
      visit={visit}
      title={`${label} · ${project.listing.name}`}
      style="studio"
      {...(scripts && { scripts })}
    >
      <div class="studio">
        <ProjectHead project={project} />
        <nav class="studio-tabs" aria-label="Project">
          <TabLinks {...{ visit, project, tab }} />
        </nav>
        <TabMenu of="Project" summary={label}>
          <TabLinks {...{ visit, project, tab }} />
        </TabMenu>
        <div class="tab-body">
          <header class="stack">
            <h1>{label}</h1>
            {lead === undefined ? null : <p class="lead">{lead}</p>}
          </header>
          <DoneNotice visit={visit} notices={notices} />
          {children}
        </div>
      </div>
    </Layout>
  )
}

function ProjectHead({ project: { listing } }: { project: Project }) {
  const { name, cover, visibility, vanity_name } = listing
  return (
    <header class="project-head">
      {cover === null ? (
        <div class="cover no-cover">
          <PictureIcon />
        </div>
      ) : (
        <img class="cover" src={pathOf(cover.url)} width={cover.width} height={cover.height} alt="" />
      )}
      <div>
        <p class="project-name" dir="auto">
          {name}
        </p>
        <p class="row small">
          <VisibilityBadge visibility={visibility} />
          <a href={`/games/${vanity_name}`}>Open the store page</a>
          <a href="/studio">All projects</a>
        </p>
      </div>
    </header>
  )
}

export function VisibilityBadge({ visibility }: { visibility: Visibility }) {
  return <Badge tone={visibility === 'public' ? 'good' : 'none'}>{VISIBILITY_LABELS[visibility]}</Badge>
}

function TabLinks({ visit, project, tab }: Pick<StudioPageProps, 'visit' | 'project' | 'tab'>) {
  const isShown = ({ isOfSelling }: Tab) => visit.store.sells || isOfSelling === undefined
  return (
    <>
      {TAB_GROUPS.map((group) => (
        <div key={group.label}>
          <p class="tab-group">{group.label}</p>
          <ul class="tab-links">
            {group.tabs.filter(isShown).map(({ path, label }) => (
              <li key={path}>
                <a
                  href={`/studio/${project.listing.vanity_name}/${path}`}
                  aria-current={path === tab ? 'page' : undefined}
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}

interface Tab {
  path: string
  label: string
  /** Only in a store that takes payments. */
  isOfSelling?: true
}

/** The tabs of a project, in groups. */
const TAB_GROUPS: readonly { label: string; tabs: readonly Tab[] }[] = [
  {
    label: 'Listing',
    tabs: [
      { path: 'overview', label: 'Overview' },
      { path: 'page', label: 'Page' },
      { path: 'media', label: 'Media' },
      { path: 'press', label: 'Press' },
      { path: 'posts', label: 'Posts' },
      { path: 'jams', label: 'Jams' },
      { path: 'store-links', label: 'Store links' },
      { path: 'pricing', label: 'Pricing' },
      { path: 'keys', label: 'Keys' },
      { path: 'community-tags', label: 'Community tags' },
      { path: 'compatibility', label: 'Compatibility' },
    ],
  },
  {
    label: 'Releases',
    tabs: [
      { path: 'builds', label: 'Builds' },
      { path: 'channels', label: 'Channels' },
      { path: 'changelog', label: 'Changelog' },
      { path: 'saves', label: 'Saves' },
    ],
  },
  {
    label: 'Insight',
    tabs: [
      { path: 'health', label: 'Health' },
      { path: 'crashes', label: 'Crashes' },
      { path: 'bugs', label: 'Bugs' },
      { path: 'downloads', label: 'Downloads' },
      { path: 'sales', label: 'Sales', isOfSelling: true },
    ],
  },
  {
    label: 'Access',
    tabs: [
      { path: 'team', label: 'Team' },
      { path: 'publishing', label: 'Pipelines' },
      { path: 'sign-in', label: 'Sign-in' },
    ],
  },
]

function labelOf(path: string): string {
  const tabs = TAB_GROUPS.flatMap((group) => group.tabs)
  return tabs.find((tab) => tab.path === path)?.label ?? 'Studio'
}

/** A listing that the visitor may edit. */
export interface Project extends Revised {
  user: WebsiteUser
}

/** Of a tab that shows this of the project. */
export type TabProps<Facts = unknown> = PageProps<Facts & { project: Project }>

export type ShowTab = ShowPage<Project>
export type TabAct = Act<Project>

/** The options of a route that changes a listing: counted together with the API's writes. */
export const changes = () => ({ page: true, limit: 'listing_write' }) as const
/** Also needs a recent confirmation: for acts that a stolen session must not allow. */
export const dangerous = () => ({ page: true, fresh: true, limit: 'listing_write' }) as const
/** Also needs a second factor: for routes that decide who may publish. */
export const publishes = () =>
  ({ page: true, secondFactor: 'always', fresh: true, limit: 'listing_write' }) as const

/** The tabs of a project and their forms. */
export function projectPages(deps: Deps) {
  return pagesAbout<Project>(({ visit, params }) => openProject(deps, visit, params.uid ?? ''))
}

/** People who may not edit the listing get "not found", even if they may open its store page. */
export async function openProject(deps: Deps, { actor }: Visit, ref: string): Promise<Project> {
  const user = requireUser(actor)
  try {
    return { user, ...(await getListing(deps, user, ref)) }
  } catch (error) {
    if (error instanceof AppError && error.kind === 'forbidden') throw new AppError('not_found')
    throw error
  }
}

/** The path of a tab, with the notice to show there. */
export function tabPath({ listing }: Project, tab: string, done?: string): string {
  return `/studio/${listing.vanity_name}/${tab}${done === undefined ? '' : `?done=${done}`}`
}
