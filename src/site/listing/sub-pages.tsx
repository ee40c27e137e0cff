import type { ComponentChildren } from 'preact'

import { findTextLanguage, showLanguage } from '../../domain/listings/languages.ts'
import { PROVIDER_LABELS, VIDEO_TYPES } from '../../domain/listings/videos.ts'
import type { ChildCard } from '../../features/catalog/pages/model.ts'
import type { GameRow } from '../../features/games/service.ts'
import type { Factsheet } from '../../features/listings/press/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { CardList, pathOf } from '../components/card.tsx'
import { DownloadIcon } from '../components/icons.tsx'
import { Pager } from '../components/lists.tsx'
import { Person } from '../components/person.tsx'
import { Prose } from '../components/prose.tsx'
import { STATUS_LABELS, SYSTEM_LABELS, TYPE_LABELS } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { BackLink } from './back-link.tsx'
import { Changes } from './page/changelog.tsx'

interface SubPageProps {
  visit: Visit
  game: GameRow
  canonical: string
}

/** Addresses with a query, such as later pages, are not indexed. */
function isIndexed({ visibility, indexable }: GameRow, { url }: Visit): boolean {
  return visibility === 'public' && indexable && url.search === ''
}

interface ModsPageProps extends SubPageProps {
  children: Paged<ChildCard>
  kind: 'mods' | 'tools' | null
}

const KINDS = [
  [null, 'All'],
  ['mods', 'Mods'],
  ['tools', 'Tools'],
] as const

export function ModsPage({ visit, game, canonical, children, kind }: ModsPageProps) {
  const title = `Mods and tools for ${game.name}`
  const path = `/games/${game.vanityName}/mods`
  return (
    <Layout visit={visit} title={title} canonical={canonical} isIndexed={isIndexed(game, visit)}>
      <div class="stack">
        <BackLink game={game} />
        <h1>
          Mods and tools for <bdi>{game.name}</bdi>
        </h1>
        <nav aria-label="Kind" class="chips">
          {KINDS.map(([value, label]) => (
            <a
              key={label}
              class="chip"
              href={value === null ? path : `${path}?kind=${value}`}
              aria-current={value === kind ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <h2 class="visually-hidden">Results</h2>
        {children.total === 0 ? (
          <p class="quiet">Nobody has published {kind ?? 'mods or tools'} for it yet.</p>
        ) : (
          <CardList cards={children.items} />
        )}
        <Pager {...children} url={visit.url} />
      </div>
    </Layout>
  )
}

interface PressPageProps {
  visit: Visit
  sheet: Factsheet
  isIndexed: boolean
}

/** The press kit of a listing. */
export function PressPage({ visit, sheet, isIndexed }: PressPageProps) {
  const pictures = [sheet.cover, ...sheet.gallery].filter((picture) => picture !== null)
  const path = `/games/${sheet.vanity_name}`
  return (
    <Layout
      visit={visit}
      title={`Press kit of ${sheet.name}`}
      description={sheet.tagline}
      canonical={`${sheet.url}/press`}
      isIndexed={isIndexed}
    >
      <div class="press">
        <header class="stack">
          <BackLink game={{ name: sheet.name, vanityName: sheet.vanity_name }} />
          <h1>
            Press kit of <bdi>{sheet.name}</bdi>
          </h1>
          <p class="lead" dir="auto" lang={findTextLanguage(sheet.languages, sheet.tagline)}>
            {sheet.tagline}
          </p>
          <p>
            <a class="button" href={`${path}/press.zip`} rel="nofollow">
              <DownloadIcon /> Download press kit
            </a>
          </p>
        </header>
        <section class="panel factsheet" aria-labelledby="factsheet">
          <h2 id="factsheet">Factsheet</h2>
          <dl class="pairs">
            <dt>Developer</dt>
            <dd>
              <Person person={sheet.developer} isLink />
            </dd>
            <dt>Type</dt>
            <dd>{TYPE_LABELS[sheet.asset_type]}</dd>
            <dt>Status</dt>
            <dd>{STATUS_LABELS[sheet.status]}</dd>
            <Row name="Released">{sheet.release_date}</Row>
            <Row name="Platforms">{sheet.platforms.map((os) => SYSTEM_LABELS[os]).join(', ')}</Row>
            {sheet.other_apps.map(({ app, app_name, platforms }) => (
              <Row key={app} name={app_name}>
                <a href={path}>{platforms.map((os) => SYSTEM_LABELS[os]).join(', ')}</a>
              </Row>
            ))}
            <Row name="Contact">
              {sheet.contact_email === '' ? (
                ''
              ) : (
                <a href={`mailto:${sheet.contact_email}`}>{sheet.contact_email}</a>
              )}
            </Row>
            <Row name="Website">{sheet.website === '' ? '' : outside(sheet.website, sheet.website)}</Row>
            <Row name="Trailer">
              {sheet.trailer_url === '' ? '' : outside(sheet.trailer_url, sheet.trailer_url)}
            </Row>
            <Row name="Languages">
              {sheet.languages.map(({ language }) => showLanguage(language)).join(', ')}
            </Row>
            {sheet.videos.map((video, index) => (
              <Row key={video.uid} name={`Video ${index + 1}`}>
                {outside(video.url, videoText(video))}
              </Row>
            ))}
          </dl>
        </section>
        <div class="sections">
          <Part title="Description" isShown={sheet.description_html !== ''}>
            <Prose
              html={sheet.description_html}
              under={2}
              lang={findTextLanguage(sheet.languages, sheet.description_html)}
            />
          </Part>
          <Part title="History" isShown={sheet.history_html !== ''}>
            <Prose html={sheet.history_html} under={2} />
          </Part>
          <TextList title="Features" texts={sheet.features} />
          <TextList title="Awards" texts={sheet.awards} />
          <Part title="Quotes" isShown={sheet.quotes.length > 0}>
            {sheet.quotes.map(({ text, source, url }) => (
              <blockquote key={text + source} class="quote">
                <p dir="auto">{text}</p>
                <footer class="quiet small" dir="auto">
                  {url === null ? source : outside(url, source)}
                </footer>
              </blockquote>
            ))}
          </Part>
          <Part title="Pictures" isShown={pictures.length > 0}>
            <ul class="picture-grid">
              {pictures.map((picture, index) => (
                <li key={picture.uid}>
                  <a href={pathOf(picture.url)}>
                    <img
                      src={pathOf(picture.url)}
                      width={picture.width}
                      height={picture.height}
                      alt={`Picture ${index + 1} of ${sheet.name}, ${picture.width} × ${picture.height}`}
                      loading="lazy"
                    />
                  </a>
                </li>
              ))}
            </ul>
          </Part>
          <Part title="Team" isShown={sheet.team.length > 0}>
            <ul class="plain-list">
              {sheet.team.map(({ name, role, url }) => (
                <li key={name + (role ?? '')}>
                  <bdi>{url === null ? name : outside(url, name)}</bdi>
                  {role === null ? null : (
                    <>
                      {' '}
                      <bdi class="quiet">{role}</bdi>
                    </>
                  )}
                </li>
              ))}
            </ul>
          </Part>
          <Part title="Links" isShown={sheet.links.length > 0}>
            <ul class="plain-list">
              {sheet.links.map(({ label, url }) => (
                <li key={label + url} dir="auto">
                  {outside(url, label)}
                </li>
              ))}
            </ul>
          </Part>
          <Part title="News" isShown={sheet.changelog.length > 0}>
            <Changes entries={sheet.changelog} level={3} />
          </Part>
        </div>
      </div>
    </Layout>
  )
}

function Part({
  title,
  isShown,
  children,
}: {
  title: string
  isShown: boolean
  children: ComponentChildren
}) {
  if (!isShown) return null
  const id = title.toLowerCase()
  return (
    <section aria-labelledby={id} class="stack">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

function TextList({ title, texts }: { title: string; texts: readonly string[] }) {
  return (
    <Part title={title} isShown={texts.length > 0}>
      <ul>
        {texts.map((text) => (
          <li key={text} dir="auto">
            {text}
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Row({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === '') return null
  return (
    <>
      <dt dir="auto">{name}</dt>
      <dd dir="auto">{children}</dd>
    </>
  )
}

/** A file by its format and size, a link by its site. */
function videoText({ provider, content_type, width, height }: Factsheet['videos'][number]): string {
  if (provider !== null) return `At ${PROVIDER_LABELS[provider]}`
  return `${content_type === VIDEO_TYPES.mp4 ? 'MP4' : 'WebM'}, ${width}×${height}`
}

function outside(url: string, text: string) {
  return (
    <a href={url} rel="nofollow ugc noopener">
      {text}
    </a>
  )
}
