import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import { pathOf } from '../../components/card.tsx'
import { TYPE_LABELS } from '../../labels.ts'

/** What stands around a listing: its parent, what it uses, what uses it, and what is like it. */
export function Neighbours({ listing }: { listing: Listing }) {
  const { parent, relations, similar_titles, has_mods, has_tools, store_links, vanity_name } = listing
  return (
    <div class="neighbours sections">
      {similar_titles.length === 0 ? null : (
        <section aria-labelledby="similar">
          <h2 id="similar">Similar titles</h2>
          <ul class="cards small-cards">
            {similar_titles.map((title) => (
              <li key={title.uid}>
                <article class="card">
                  {title.cover === null ? null : (
                    <img
                      class="cover"
                      src={pathOf(title.cover.url)}
                      width={title.cover.width}
                      height={title.cover.height}
                      alt=""
                      loading="lazy"
                    />
                  )}
                  <div class="body">
                    <h3>
                      <a href={`/games/${title.vanity_name}`}>{title.name}</a>
                    </h3>
                    <p class="tagline">{title.tagline}</p>
                  </div>
                </article>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Related" class="related">
        {parent === null ? null : (
          <p>
            {TYPE_LABELS[listing.asset_type]} for{' '}
            {'game' in parent ? (
              <a href={`/games/${parent.vanity_name}`}>{parent.name}</a>
            ) : (
              <a href={parent.external_url} rel="nofollow noopener">
                {parent.external_name}
              </a>
            )}
          </p>
        )}
        <RelationList title="Made with" items={relations.uses} />
        <RelationList title="Used by" items={relations.used_by} />
        {has_mods || has_tools ? (
          <p>
            <a href={`/games/${vanity_name}/mods`}>Mods and tools for {listing.name}</a>
          </p>
        ) : null}
        <p class="row">
          {store_links.map(({ platform, label, url }) => (
            <a key={platform} class="chip" href={url} rel="nofollow noopener">
              {label}
            </a>
          ))}
          {listing.website === null ? null : (
            <a class="chip" href={listing.website} rel="nofollow noopener">
              Website
            </a>
          )}
          {listing.adult ? null : (
            <a class="chip" href={`/games/${vanity_name}/press`}>
              Press kit
            </a>
          )}
        </p>
      </section>
    </div>
  )
}

function RelationList({ title, items }: { title: string; items: Listing['relations']['uses'] }) {
  if (items.length === 0) return null
  return (
    <div>
      <h3>{title}</h3>
      <ul class="chips">
        {items.map((item) => (
          <li key={item.uid + item.kind}>
            <a class="chip" href={`/games/${item.vanity_name}`}>
              {item.name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
