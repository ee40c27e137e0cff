interface CopyBlockProps {
  id: string
  title: string
  text: string
  /** The level of the heading above it. */
  under?: 1 | 2
}

/** A text to copy, with a button when there is script. */
export function CopyBlock({ id, title, text, under = 2 }: CopyBlockProps) {
  const Heading = under === 1 ? 'h2' : 'h3'
  return (
    <div class="copy">
      <div class="row between">
        <Heading class="small" id={`${id}-title`}>
          {title}
        </Heading>
        <button
          type="button"
          class="button second small with-script"
          data-copies={id}
          aria-label={`Copy: ${title}`}
        >
          Copy
        </button>
      </div>
      <pre class="secret" id={id} tabIndex={0} aria-labelledby={`${id}-title`} role="region">
        {text}
      </pre>
    </div>
  )
}
