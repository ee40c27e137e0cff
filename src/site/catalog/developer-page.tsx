import type { DeveloperPage as Developer } from '../../features/catalog/pages/model.ts'
import type { Visit } from '../../http/visit.ts'
import { CardList } from '../components/card.tsx'
import { Pager } from '../components/pager.tsx'
import { Day } from '../kit/dates.tsx'
import { countText } from '../kit/labels.ts'
import { Layout } from '../kit/layout.tsx'

/** The listings a developer has published, newest first. */
export function DeveloperPage({ visit, developer }: { visit: Visit; developer: Developer }) {
  const { username, url, items, total, created_at } = developer
  return (
    <Layout
      visit={visit}
      title={username}
      description={`${countText(total, 'listing')} by ${username}.`}
      canonical={url}
      isIndexed={visit.url.search === ''}
      head={
        <>
          <meta property="og:type" content="profile" />
          <meta property="og:title" content={username} />
          <meta property="og:url" content={url} />
        </>
      }
    >
      <div class="stack">
        <header>
          <h1>{username}</h1>
          <p class="quiet">
            {countText(total, 'listing')}, here since <Day at={created_at} />
          </p>
        </header>
        <h2 class="visually-hidden">Listings</h2>
        {items.length > 0 ? (
          <CardList cards={items} />
        ) : (
          <p class="quiet">
            {total === 0 ? 'Nothing here can be shown to you.' : 'These listings end before.'}
          </p>
        )}
        <Pager {...developer} url={visit.url} />
      </div>
    </Layout>
  )
}
