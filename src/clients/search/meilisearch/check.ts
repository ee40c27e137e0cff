/** Throws unless Meilisearch responds and accepts our key. */
export async function checkMeilisearch(url: string, key: string | null): Promise<void> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const response = await fetch(`${url}/stats`, { headers, signal: AbortSignal.timeout(2500) })
  if (response.status === 401 || response.status === 403) throw new Error('Meilisearch refuses MEILI_KEY')
  if (!response.ok) throw new Error(`Meilisearch answers ${response.status}`)
}
