import type { QueuedJob } from '../../features/operate/status/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { Moment } from '../kit/labels.tsx'
import type { PageProps } from '../kit/pages.ts'
import { OperateFrame, States } from './operate-frame.tsx'

const STATES = { failed: 'Failed', waiting: 'Waiting', running: 'Running' }

const NOTICES = {
  retried: 'The job starts over.',
}

export function JobsPage({ state, jobs }: PageProps<{ jobs: Paged<QueuedJob> }>) {
  const { visit } = state
  return (
    <OperateFrame state={state} tab="/operate/jobs" notices={NOTICES}>
      <States visit={visit} name="state" values={STATES} />
      {jobs.items.length === 0 ? (
        <Empty title="Nothing here now">Jobs that failed for good wait here until you try them again.</Empty>
      ) : (
        <ul class="records panel">
          {jobs.items.map((job) => (
            <Job key={job.id} job={job} />
          ))}
        </ul>
      )}
      <Pager {...jobs} url={visit.url} />
    </OperateFrame>
  )
}

function Job({ job }: { job: QueuedJob }) {
  const { id, task, state, attempts, max_attempts, last_error, created_at } = job
  return (
    <li>
      <div>
        <strong>{task}</strong>{' '}
        <span class="quiet small">
          {attempts} of {max_attempts} attempts, enqueued <Moment at={created_at} />
        </span>
        {last_error === null ? null : <p class="small evidence">{last_error}</p>}
      </div>
      {state === 'running' ? null : (
        <PostForm action={`/operate/jobs/${id}/retry`} class="act">
          <Submit look="second">
            Try again
            <span class="visually-hidden">
              : {task}, job {id}
            </span>
          </Submit>
        </PostForm>
      )}
    </li>
  )
}
