import { t } from 'elysia'

/** The program of the listing that a build or file belongs to. */
export const appFields = {
  app: t.String({ description: '`main` for the game itself.', examples: ['main', 'server'] }),
  app_name: t.String({ description: 'What players read.', examples: ['Dedicated server'] }),
}
