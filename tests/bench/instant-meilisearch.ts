import { INDEX_SETTINGS } from '../../src/clients/search/meilisearch/settings.ts'

export interface InstantMeilisearch extends AsyncDisposable {
  url: string
  /** Whether the document was sent and not removed since. */
  knows(uid: string): boolean
}

/** Accepts every document immediately and finds nothing, so that only Playshelf's own time is measured. */
export function startInstantMeilisearch(): InstantMeilisearch {
  const documents = new Set<string>()
  let tasks = 0
  const take = () => {
    tasks += 1
    return Response.json({ taskUid: tasks, status: 'enqueued' }, { status: 202 })
  }
  const succeed = (uid: string) => ({ uid: Number(uid), status: 'succeeded', type: 'any', error: null })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/stats': Response.json({}),
      '/indexes/:index/settings': { GET: () => Response.json(INDEX_SETTINGS), PATCH: take },
      '/indexes/:index/documents': async (request) => {
        for (const { uid } of (await request.json()) as { uid: string }[]) documents.add(uid)
        return take()
      },
      '/indexes/:index/documents/delete-batch': async (request) => {
        for (const uid of (await request.json()) as string[]) documents.delete(uid)
        return take()
      },
      '/tasks/:uid': (request) => Response.json(succeed(request.params.uid)),
      '/tasks': (request) => {
        const uids = new URL(request.url).searchParams.get('uids')?.split(',') ?? []
        return Response.json({ results: uids.map(succeed) })
      },
      '/multi-search': async (request) => {
        const { queries } = (await request.json()) as { queries: object[] }
        const empty = { hits: [], totalHits: 0, facetDistribution: {} }
        return Response.json({ results: queries.map(() => empty) })
      },
    },
    fetch: take,
  })
  return {
    url: server.url.origin,
    knows: (uid) => documents.has(uid),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
