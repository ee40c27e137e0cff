import type { ComponentChildren } from 'preact'

import type { WebsiteUser } from '../../domain/actor.ts'
import { PROGRAM_NAME } from '../../domain/store-settings.ts'
import { palettePath } from '../../features/settings/storefront.ts'
import { type Theme, THEMES, type Visit } from '../../http/visit.ts'
import { Announcement, Brand, contactAddress, IconLinks } from '../components/brand.tsx'
import { FollowedContext } from '../components/follows/followed-marks.tsx'
import { BellIcon, SearchIcon } from '../components/icons.tsx'
import { OncePage } from '../components/once-a-page.tsx'
import { Person } from '../components/person.tsx'
import { SCRIPTS, STYLES } from './assets.ts'
import { OutcomeOf } from './outcome.tsx'

/** A picture that browsers choose from several sizes. */
export interface PreloadedPicture {
  href: string
  imageSrcSet: string
  imageSizes: string
}

export interface PageFacts {
  /** The title of the window and, unless the page has its own, the first heading. */
  title: string
  description?: string
  /** The absolute address to index when a page has several. */
  canonical?: string
  isIndexed?: boolean
  /** More elements for the head: preview images, structured data, feeds. */
  head?: ComponentChildren
  /** The picture that is most likely the largest of the first view: fetched before the style sheet is read. */
  preload?: string | PreloadedPicture | undefined
  /** The area whose style sheet the page uses. */
  style?: keyof typeof STYLES
  /** The accent of this page, as #rrggbb, instead of that of the store. */
  accent?: string | null
  /** The islands this page uses. */
  scripts?: readonly (keyof typeof SCRIPTS)[]
}

interface HeadProps extends PageFacts {
  visit: Visit
}

interface LayoutProps extends HeadProps {
  /** Leaves out the links to other pages, for pages on which none of them works. */
  isBare?: boolean
  /** Whether the page begins with a picture that the header lies on. */
  isOverPicture?: boolean
  children: ComponentChildren
}

/** The frame of every page. */
export function Layout({ visit, isBare = false, isOverPicture = false, children, ...facts }: LayoutProps) {
  return (
    <html lang="en" data-theme={visit.theme === 'system' ? undefined : visit.theme}>
      <Head visit={visit} {...facts} />
      <body class={isOverPicture ? 'over-picture' : undefined}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {isBare ? null : (
          <>
            <Header visit={visit} />
            <Announcement visit={visit} />
          </>
        )}
        <main id="content" tabIndex={-1}>
          <div class="wrap">
            <OncePage os={visit.os}>
              <FollowedContext.Provider value={visit.followed}>
                <OutcomeOf request={visit.request}>{children}</OutcomeOf>
              </FollowedContext.Provider>
            </OncePage>
          </div>
        </main>
        {isBare ? null : <Footer visit={visit} />}
      </body>
    </html>
  )
}

function Head({ visit, title, description, canonical, isIndexed = false, head, ...assets }: HeadProps) {
  const { style = 'store', scripts = [], preload, accent = null } = assets
  const { settings, looks, fonts, shareImage } = visit.store
  const palette = accent === null || !settings.page_accent ? visit.store.palette : palettePath(accent)
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} · ${settings.name}`}</title>
      {description ? <meta name="description" content={description} /> : null}
      {isIndexed && settings.indexing ? null : <meta name="robots" content="noindex" />}
      {canonical === undefined ? null : <link rel="canonical" href={canonical} />}
      <meta property="og:site_name" content={settings.name} />
      {head === undefined ? <meta property="og:title" content={title} /> : null}
      {head === undefined && shareImage !== null ? (
        <>
          <meta property="og:image" content={shareImage} />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      ) : null}
      <IconLinks store={visit.store} />
      <link
        rel="alternate"
        type="application/atom+xml"
        title={`Newest on ${settings.name}`}
        href="/feed.xml"
      />
      {preload === undefined ? null : (
        <link
          rel="preload"
          as="image"
          fetchpriority="high"
          {...(typeof preload === 'string' ? { href: preload } : preload)}
        />
      )}
      <link rel="stylesheet" href={STYLES[style].path} />
      {fonts.map((path) => (
        <link key={path} rel="preload" href={path} as="font" type="font/woff2" crossOrigin="anonymous" />
      ))}
      {looks === null ? null : <link rel="stylesheet" href={looks} />}
      {palette === null ? null : <link rel="stylesheet" href={palette} />}
      {(['frame', ...scripts] as const).map((name) => (
        <script key={name} type="module" src={SCRIPTS[name].path} />
      ))}
      {head}
    </head>
  )
}

function Header({ visit }: { visit: Visit }) {
  const { actor, url } = visit
  const current = (path: string) => (url.pathname.startsWith(path) ? 'page' : undefined)
  return (
    <header class="top">
      <div class="wrap">
        <Brand store={visit.store} />
        <nav aria-label="Main">
          <a href="/search" aria-current={current('/search')}>
            Browse
          </a>
          {visit.hasJams ? (
            <a href="/jams" aria-current={current('/jams')}>
              Jams
            </a>
          ) : null}
          {actor.kind === 'user' ? (
            <>
              <a href="/library" aria-current={current('/library')}>
                Library
              </a>
              <a href="/studio" aria-current={current('/studio')}>
                Studio
              </a>
            </>
          ) : null}
        </nav>
        <search class="finder">
          <form action="/search" method="get">
            <SearchIcon />
            <input
              type="search"
              name="find"
              aria-label="Search games"
              placeholder="Search games"
              data-script={SCRIPTS.searchBox.path}
              value={url.pathname === '/search' ? searchedText(url.searchParams) : ''}
              maxLength={200}
              autoComplete="off"
              aria-keyshortcuts="/"
            />
          </form>
        </search>
        <div class="account">
          {actor.kind === 'user' ? (
            <>
              <Bell unread={visit.unread} isCurrent={url.pathname === '/notices'} />
              <UserMenu actor={actor} />
            </>
          ) : (
            <SignInLink url={url} />
          )}
        </div>
      </div>
    </header>
  )
}

/** What was typed into the box; old links have other names for it. */
function searchedText(query: URLSearchParams): string {
  return query.get('find') ?? query.get('q') ?? query.get('search') ?? ''
}

/** Pages that a sign-in does not return to. */
const PLAIN_SIGN_IN = new Set(['/', '/sign-in', '/sign-up', '/forgot', '/reset', '/verify'])

function SignInLink({ url }: { url: URL }) {
  const isPlain = PLAIN_SIGN_IN.has(url.pathname) || url.pathname.startsWith('/reset/')
  const next = isPlain ? '' : `?next=${encodeURIComponent(url.pathname + url.search)}`
  return (
    <a class="button second" href={`/sign-in${next}`}>
      Sign in
    </a>
  )
}

const UNREAD_SHOWN_MAX = 99

/** Pages that update themselves also update the number. */
function Bell({ unread, isCurrent }: { unread: number; isCurrent: boolean }) {
  return (
    <a class="bell" href="/notices" aria-current={isCurrent ? 'page' : undefined} data-live="bell">
      <BellIcon />
      <span class="visually-hidden">Notices</span>
      {unread === 0 ? null : (
        <span class="count">
          {unread > UNREAD_SHOWN_MAX ? `${UNREAD_SHOWN_MAX}+` : unread}
          <span class="visually-hidden"> unread</span>
        </span>
      )}
    </a>
  )
}

function UserMenu({ actor }: { actor: WebsiteUser }) {
  const { username, displayName: display_name, picture } = actor
  return (
    <>
      <button type="button" class="button second" popovertarget="user-menu">
        <Person person={{ username, display_name, picture }} />
        {display_name === username ? null : <span class="visually-hidden"> {username}</span>}
      </button>
      <div id="user-menu" class="menu" popover="auto">
        <a href="/following">Following</a>
        <a href="/wishlist">Wishlist</a>
        <a href="/account">Account</a>
        {actor.isOperator ? <a href="/operate">Operate</a> : null}
        <form method="post" action="/sign-out">
          <button type="submit">Sign out</button>
        </form>
      </div>
    </>
  )
}

function Footer({ visit }: { visit: Visit }) {
  const { name, pages, footer_links, contact } = visit.store.settings
  return (
    <footer class="bottom">
      <div class="wrap">
        <ul class="links">
          {pages.map(({ slug, title }) => (
            <li key={slug}>
              <a href={`/pages/${slug}`} dir="auto">
                {title}
              </a>
            </li>
          ))}
          <li>
            <a href="/rules">Store rules</a>
          </li>
          <li>
            <a href="/docs">API</a>
          </li>
          <li>
            <a href="/feed.xml">Feed</a>
          </li>
          {footer_links.map(({ label, url }) => (
            <li key={url}>
              <a href={url} rel="noopener" dir="auto">
                {label}
              </a>
            </li>
          ))}
          {contact === null ? null : (
            <li>
              <a href={contactAddress(contact)} rel="noopener">
                Contact
              </a>
            </li>
          )}
        </ul>
        <ThemeSwitch theme={visit.theme} next={visit.url.pathname + visit.url.search} />
      </div>
      {name === PROGRAM_NAME ? null : <p class="wrap runs-on">{`${name} runs on ${PROGRAM_NAME}`}</p>}
    </footer>
  )
}

const THEME_LABELS: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

function ThemeSwitch({ theme, next }: { theme: Theme; next: string }) {
  return (
    <form method="post" action="/theme">
      <input type="hidden" name="next" value={next} />
      <div class="themes" role="group" aria-label="Theme">
        {THEMES.map((value) => (
          <button key={value} name="theme" value={value} aria-pressed={value === theme}>
            {THEME_LABELS[value]}
            <span class="visually-hidden"> theme</span>
          </button>
        ))}
      </div>
    </form>
  )
}
