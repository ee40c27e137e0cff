import type { ComponentChildren } from 'preact'

/** A table that scrolls by itself when it is wider than the page, by keyboard too. */
export function TableRegion({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="table">{children}</table>
    </section>
  )
}
