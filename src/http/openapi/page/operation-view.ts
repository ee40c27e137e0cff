import { type Html, html, json, markdown } from '../../../lib/text/html.ts'
import { nameOfReference } from '../schemas.ts'
import type { Document, MediaType, Method, Operation, Parameter, ResponseObject } from '../types.ts'
import { createCurl } from './curl.ts'
import { renderFields, renderNotes, typeOf } from './schema-view.ts'

export interface OperationEntry {
  method: Method
  path: string
  operation: Operation
}

export function renderOperation(document: Document, { method, path, operation }: OperationEntry): Html {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const answers = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolveResponse(document, response)] as const,
  )
  const sample = answers.flatMap(([status, { content }]) =>
    status.startsWith('2') ? Object.values(content ?? {}).flatMap((media) => media.example ?? []) : [],
  )[0]
  return html`<article
    class="operation"
    id="${operationId}"
    data-search="${`${method} ${path} ${summary}`.toLowerCase()}"
  >
    <div class="text">
      <h3><a href="#${operationId}">${summary}</a></h3>
      <p class="address"><span class="method ${method}">${method}</span> <code>${breakable(path)}</code></p>
      ${markdown(description)}
      ${
        parameters.length > 0 &&
        html`<h4>Parameters</h4>
          <ul class="fields">
            ${parameters.map((parameter) => renderParameter(parameter))}
          </ul>`
      }
      ${
        requestBody &&
        html`<h4>Body</h4>
          ${Object.entries(requestBody.content).map(([type, media]) => renderMedia(document, type, media))}`
      }
      <h4>Answers</h4>
      ${answers.map(([status, response]) => renderResponse(document, status, response))}
    </div>
    <div class="samples">
      ${renderSample('Request', html`<code class="command">${createCurl(document, method, path, operation)}</code>`)}
      ${sample !== undefined && renderSample('Answer', typeof sample === 'string' ? html`<code>${sample}</code>` : json(sample))}
    </div>
  </article>`
}

export function renderSample(title: string, code: Html): Html {
  return html`<figure class="sample">
    <figcaption>${title}<button type="button" class="copy" hidden>Copy</button></figcaption>
    <pre tabindex="0">${code}</pre>
  </figure>`
}

function renderParameter(parameter: Parameter): Html {
  const { name, schema, description } = parameter
  return html`<li>
    <div class="field">
      <code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>
      <span class="optional">${parameter.in}${!parameter.required && ', optional'}</span>
    </div>
    ${description !== undefined && html`<div class="note">${markdown(description)}</div>`}
    ${renderNotes(schema)}
  </li>`
}

function renderResponse(
  document: Document,
  status: string,
  { description, content = {}, headers = {} }: ResponseObject,
): Html {
  const kind = status.startsWith('2') ? 'good' : status < '400' ? 'other' : 'bad'
  const names = Object.keys(headers).map((name) => html`<code>${name}</code> `)
  const isFailure = kind === 'bad'
  return html`<details class="answer" ${kind === 'good' && html`open`}>
    <summary><span class="status ${kind}">${status}</span> <span>${firstLine(description)}</span></summary>
    ${description.includes('\n') && markdown(description)}
    ${!isFailure && Object.entries(content).map(([type, media]) => renderMedia(document, type, media))}
    ${isFailure && Object.values(content).flatMap((media) => renderFailureExample(media))}
    ${names.length > 0 && html`<p class="note">Headers ${names}</p>`}
  </details>`
}

function renderFailureExample({ examples = {} }: MediaType): Html[] {
  return Object.values(examples)
    .slice(0, 1)
    .map(({ value }) => html`<pre tabindex="0">${json(value)}</pre>`)
}

function renderMedia({ components }: Document, type: string, { schema }: MediaType): Html {
  return html`<p class="note">
      <code>${type}</code>${schema.$ref !== undefined && ` ${nameOfReference(schema.$ref)}`}
    </p>
    ${renderNotes(schema)} ${renderFields(schema, components.schemas)}`
}

function resolveResponse({ components }: Document, response: Operation['responses'][string]): ResponseObject {
  if (!('$ref' in response)) return response
  return components.responses[nameOfReference(response.$ref)] ?? { description: '' }
}

function firstLine(description: string): string {
  const lines = description.split('\n')
  const first = (lines[0] ?? '').replace(/^- /, '')
  return lines.length > 1 ? `${first} And ${lines.length - 1} more.` : first
}

/** Lets long addresses wrap after slashes only. */
function breakable(path: string): Html[] {
  return path.split(/(?<=\/)/).map((part) => html`${part}<wbr />`)
}
