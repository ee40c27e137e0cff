import type { Listing } from '../../../features/catalog/pages/model.ts'
import { CardList, pathOf } from '../../components/card.tsx'
import { numberText } from '../../kit/labels.tsx'
import type { StoreData } from '../store-data.ts'

/** Related listings: those made for it, those it uses, those that use it, and similar ones. */
export function Neighbours({ store }: { store: StoreData }) {
  const { listing, children } = store
  const { relations, similar_titles, vanity_name } = listing
  const hasRelations = relations.uses.length > 0 || relations.used_by.length > 0
  return (
    <div class="neighbours sections">
      {children.total === 0 ? null : (
        <section aria-labelledby="mods">
          <h2 id="mods">Mods and tools</h2>
          <CardList cards={children.items} isBelow />
          {children.total > children.items.length ? (
            <p>
              <a href={`/games/${vanity_name}/mods`}>All {numberText(children.total)} mods and tools</a>
            </p>
          ) : null}
        </section>
      )}
      {hasRelations ? (
        <section aria-labelledby="relations" class="related">
          <h2 id="relations">Related</h2>
          <RelationList title="Uses" items={relations.uses} />
          <RelationList title="Used by" items={relations.used_by} />
        </section>
      ) : null}
      {similar_titles.length === 0 ? null : (
        <section aria-labelledby="similar">
          <h2 id="similar">Similar titles</h2>
          <ul class="cards small-cards">
            {similar_titles.map((title) => (
              <li key={title.uid}>
                <SimilarCard title={title} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function SimilarCard({ title }: { title: Listing['similar_titles'][number] }) {
  return (
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
          <a href={`/games/${title.vanity_name}`} dir="auto">
            {title.name}
          </a>
        </h3>
        <p class="tagline" dir="auto">
          {title.tagline}
        </p>
      </div>
    </article>
  )
}

const KIND_LABELS = { uses: '', supports: 'for', made_with: 'made with' } as const

function RelationList({ title, items }: { title: string; items: Listing['relations']['uses'] }) {
  if (items.length === 0) return null
  return (
    <div>
      <h3>{title}</h3>
      <ul class="chips">
        {items.map((item) => (
          <li key={item.uid + item.kind}>
            <a class="chip" href={`/games/${item.vanity_name}`}>
              {KIND_LABELS[item.kind] === '' ? null : <span class="quiet">{KIND_LABELS[item.kind]}</span>}
              <bdi>{item.name}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
