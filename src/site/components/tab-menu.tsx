import type { ComponentChildren } from 'preact'

interface TabMenuProps {
  /** What the tabs belong to. */
  of: string
  /** The name of the current tab, and what should be seen without opening the menu. */
  summary: ComponentChildren
  children: ComponentChildren
}

/** The tabs of an area where the window is too narrow to show all of them. */
export function TabMenu({ of, summary, children }: TabMenuProps) {
  return (
    <details class="tab-menu">
      <summary>{summary}</summary>
      <nav aria-label={of}>{children}</nav>
    </details>
  )
}
