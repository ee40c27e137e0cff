/** A text to copy, with a button when there is script. */
export function CopyBlock({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <div class="copy">
      <div class="row between">
        <h3 class="small" id={`${id}-title`}>
          {title}
        </h3>
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
