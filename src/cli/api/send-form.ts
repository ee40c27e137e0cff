import { open } from 'node:fs/promises'
import { basename } from 'node:path'

import type { Output } from '../ui/output.ts'
import type { Phase } from '../ui/progress.ts'
import type { ApiClient } from './client.ts'
import { createFormBody, type FormFile, type SendOptions } from './form-body.ts'

interface FormTarget {
  path: string
  base?: string
}

/** Sends a form with a file in one request, from the start again after each failure that passes. */
export async function sendForm<Data>(
  api: ApiClient,
  target: FormTarget,
  file: FormFile,
  options: SendOptions & { phase: Phase },
): Promise<Data> {
  api.retry.progress()
  for (;;) {
    try {
      options.phase.moveTo(0)
      using form = createFormBody(file, options)
      const { path, base = api.server } = target
      const data = await api.once<Data>(path, { method: 'POST', base, ...form })
      api.retry.progress()
      return data
    } catch (error) {
      await api.retry.pause(error)
    }
  }
}

/** The same for a file by its path, with its own progress. */
export async function sendFile<Data>(
  api: ApiClient,
  output: Output,
  target: FormTarget,
  path: string,
  fields: Record<string, string>,
): Promise<Data> {
  await using handle = await open(path, 'r')
  const { size } = await handle.stat()
  const filename = basename(path)
  using phase = output.phase('sending', filename, size)
  const file = { handle, start: 0, length: size, filename, fields }
  return await sendForm<Data>(api, target, file, { phase, onBytes: phase.advance })
}
