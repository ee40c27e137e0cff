import { POST_TEXT_MAX, POST_TITLE_MAX } from '../../domain/posts.ts'
import { Pending } from '../builds/channels/model.ts'
import { requestPublication, writeDraft } from '../community/posts/drafts.ts'
import { Post } from '../community/posts/model.ts'
import { DraftInput, PostRefInput } from './model.ts'
import { defineTool, UNTRUSTED } from './tool.ts'

const writePostTool = defineTool({
  name: 'write_post',
  title: 'Write a draft of a post',
  description: `Writes a draft of a post to the players of a project, or changes one that is still a draft. The title has up to ${POST_TITLE_MAX} characters and is needed for a new one; the Markdown has up to ${POST_TEXT_MAX}. What is not sent stays as it is. Nothing is public until the post is published. ${UNTRUSTED}`,
  scope: 'mcp:posts',
  effect: 'append',
  input: DraftInput,
  output: Post,
  run: ({ deps }, agent, { game_id, post_uid, ...patch }) =>
    writeDraft(deps, agent, game_id, post_uid, patch),
  summarize: ({ uid }) => `The draft is saved as ${uid}. It is public once publish_post was approved.`,
})

const publishPostTool = defineTool({
  name: 'publish_post',
  title: 'Publish a post',
  description:
    'Asks the owner of the project to publish a draft. The result is {"approval": "pending"} until the owner confirms the mailed link; changing the draft ends the request. Tell the person to look for that mail; do not call again.',
  scope: 'mcp:posts',
  effect: 'change',
  input: PostRefInput,
  output: Pending,
  run: async ({ deps }, agent, { game_id, post_uid }) => {
    await requestPublication(deps, agent, game_id, post_uid)
    return { approval: 'pending' as const }
  },
  summarize: () =>
    'Waiting for approval: the owner of the project was sent a mail with a link to publish the post.',
})

export const POST_TOOLS = [writePostTool, publishPostTool]
