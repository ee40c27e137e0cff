import type { CommandContext } from './context.ts'

export async function backup(_context: CommandContext, _file: string | undefined): Promise<string> {
  throw new Error('not yet')
}

export async function restore(_context: CommandContext, _file: string | undefined): Promise<string> {
  throw new Error('not yet')
}
