import type { ComponentChildren } from 'preact'

import { jamPath } from '../../domain/site-urls.ts'
import type { Visit } from '../../http/visit.ts'
import type { Notices } from '../components/notice.tsx'
import { JamFrame, type ShownJam } from './jam-frame.tsx'

interface Section {
  /** What follows `/manage`. */
  path: string
  label: string
  isShown?: (shown: ShownJam) => boolean
}

const isRanked = ({ jam }: ShownJam) => jam.voting_ends_at !== null && jam.state !== 'coming'

/** The pages for hosts, in their order. */
const SECTIONS: readonly Section[] = [
  { path: '', label: 'Jam' },
  { path: '/codes', label: 'Codes' },
  { path: '/late-links', label: 'Late links', isShown: ({ jam }) => jam.state !== 'coming' },
  { path: '/votes', label: 'Votes', isShown: isRanked },
  { path: '/results', label: 'Results', isShown: isRanked },
]

interface ManageFrameProps {
  visit: Visit
  shown: ShownJam
  /** The label of the current section. */
  section: string
  notices?: Notices
  children: ComponentChildren
}

/** The frame of the pages for hosts: a row of sections below the tabs of the jam. */
export function ManageFrame({ visit, shown, section, notices, children }: ManageFrameProps) {
  const base = jamPath(shown.jam.slug, 'manage')
  return (
    <JamFrame
      {...{ visit, shown, tab: 'Manage', ...(notices && { notices }) }}
      title={`${section} · ${shown.jam.title}`}
    >
      <h1>{section === 'Jam' ? 'Manage the jam' : section}</h1>
      <nav class="jam-tabs inner" aria-label="Manage">
        {SECTIONS.filter(({ isShown }) => isShown?.(shown) ?? true).map(({ path, label }) => (
          <a key={path} href={base + path} aria-current={label === section ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {children}
    </JamFrame>
  )
}
