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

interface InstallCommandProps {
  /** Unique on the page. */
  id: string
  name: string
  /** The address of its page. */
  url: string
  /** Also explains how to install shelf. */
  hasSetup?: boolean
}

/** How to install a title from a terminal. */
export function InstallCommand({ id, name, url, hasSetup = false }: InstallCommandProps) {
  return (
    <details class="small">
      <summary>
        Install with shelf<span class="visually-hidden">: {name}</span>
      </summary>
      <CopyBlock id={id} title="In a terminal" text={`shelf get ${url}`} />
      <p class="quiet small">
        Later, <code>shelf update</code> fetches only what changed.
      </p>
      {hasSetup ? <Setup id={id} url={url} /> : null}
    </details>
  )
}

function Setup({ id, url }: { id: string; url: string }) {
  const script = (name: string) => new URL(`/${name}`, url).href
  return (
    <>
      <CopyBlock
        id={`${id}-unix`}
        title="shelf for Linux and macOS"
        text={`curl -fsSL ${script('install.sh')} | sh`}
      />
      <CopyBlock
        id={`${id}-windows`}
        title="shelf for Windows, in PowerShell"
        text={`irm ${script('install.ps1')} | iex`}
      />
    </>
  )
}
