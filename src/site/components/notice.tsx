import type { ComponentChildren } from 'preact'

import type { Visit } from '../../http/visit.ts'
import { Message } from '../kit/outcome.tsx'

interface NoticeProps {
  tone: 'info' | 'good' | 'warn' | 'bad'
  children: ComponentChildren
}

/** Faults interrupt a screen reader; other notices wait. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <p>{children}</p>
    </div>
  )
}

/** What a page says after a form that led to it by `?done=`, by the value of that parameter. */
export type Notices = Readonly<Record<string, string>>

export function noticeOf({ url }: Visit, notices: Notices): string | undefined {
  const done = url.searchParams.get('done') ?? ''
  return Object.hasOwn(notices, done) ? notices[done] : undefined
}

/** Says that the form succeeded which led to this page; shown at that form. */
export function DoneNotice({ visit, notices }: { visit: Visit; notices: Notices }) {
  const text = noticeOf(visit, notices)
  if (text === undefined) return null
  return (
    <Message class="notice good" role="status">
      <p>{text}</p>
    </Message>
  )
}
