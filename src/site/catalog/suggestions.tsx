import type { ComponentChildren } from 'preact'

import { FILTERS } from '../../domain/listings/facets.ts'
import type { Suggestions } from '../../features/catalog/search/model.ts'
import { pathOf } from '../components/card.tsx'
import { SearchIcon } from '../components/icons.tsx'
import { Face } from '../components/person.tsx'
import { numberText } from '../kit/labels.tsx'

/** The options below the search box, each a link; `search-box.client.ts` puts them into its list. */
export function SuggestionList({ text, found }: { text: string; found: Suggestions }) {
  const { listings, developers, facets, tags } = found
  if (listings.length + developers.length + facets.length + tags.length === 0) return null
  return (
    <>
      <Group title="Listings">
        {listings.map(({ vanity_name, name, cover, developer }) => (
          <Option key={vanity_name} id={`listing-${vanity_name}`} href={`/games/${vanity_name}`}>
            {cover === null ? (
              <span class="picture" />
            ) : (
              <img class="picture" src={pathOf(cover.url)} alt="" width={64} height={36} />
            )}
            <span class="words" dir="auto">
              {name}
            </span>
            <span class="detail" dir="auto">
              {developer.display_name}
            </span>
          </Option>
        ))}
      </Group>
      <Group title="Developers">
        {developers.map((person) => (
          <Option
            key={person.username}
            id={`developer-${person.username}`}
            href={`/developers/${person.username}`}
          >
            <Face person={person} />
            <span class="words" dir="auto">
              {person.display_name}
            </span>
          </Option>
        ))}
      </Group>
      <Group title="Filters">
        {facets.map(({ facet, value, label, count }) => {
          const { legend, include } = FILTERS[facet]
          const address = addressOf(include?.[0], value)
          return address === null ? null : (
            <Option key={facet + value} id={`${facet}-${value}`} href={address}>
              <span class="words">{label}</span>
              <span class="detail">
                {legend} · {numberText(count)}
              </span>
            </Option>
          )
        })}
        {tags.map(({ tag, count }) => (
          <Option key={tag} id={`tag-${tag}`} href={`/search?tags=${encodeURIComponent(tag)}`}>
            <span class="words">{tag}</span>
            <span class="detail">
              {FILTERS.tags.legend} · {numberText(count)}
            </span>
          </Option>
        ))}
      </Group>
      <Option id="all" href={`/search?find=${encodeURIComponent(text.toWellFormed())}`}>
        <SearchIcon />
        <span class="words">
          All results for “<bdi>{text}</bdi>”
        </span>
      </Option>
    </>
  )
}

/** Null where values can only be excluded. */
function addressOf(parameter: string | undefined, value: string): string | null {
  return parameter === undefined ? null : `/search?${parameter}=${encodeURIComponent(value)}`
}

function Group({ title, children }: { title: string; children: ComponentChildren[] }) {
  if (children.flat().every((child) => child === null)) return null
  return (
    <div role="group" aria-label={title}>
      <p class="title" aria-hidden="true">
        {title}
      </p>
      {children}
    </div>
  )
}

interface OptionProps {
  id: string
  href: string
  children: ComponentChildren
}

/** The ids are unique on the page, since no other element begins so. */
function Option({ id, href, children }: OptionProps) {
  return (
    <a role="option" id={`suggestion-${id}`} href={href} tabIndex={-1} aria-selected="false">
      {children}
    </a>
  )
}
