import { CopyBlock } from './copy-block.tsx'

interface InstallCommandProps {
  /** Unique on the page. */
  id: string
  name: string
  /** The address of its page. */
  url: string
  /** Also tells how to get shelf. */
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
