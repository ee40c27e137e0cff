import type { ComponentChildren } from 'preact'

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
