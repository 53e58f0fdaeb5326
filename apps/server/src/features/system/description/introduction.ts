/** The beginning of the page about the API, as Markdown. */
export const INTRODUCTION = `
JSON over HTTP. Everything that the console does is an endpoint of this API. [Open the console](/)

## API keys

Programs send an API key in the header \`X-API-KEY\`, or as \`Authorization: Bearer <key>\`, without cookies. Create one in
the console under *Settings*, *API keys*. A key acts for a user, at most with the rights of that user. Keys cannot change
users, passwords or keys, nor open sockets. A key may make 1,000 requests a minute; 429 says in \`Retry-After\` when to try
again.

With \`X-Muster-Shape: own\`, a key gets the responses described here. Without it, a few endpoints answer in the shape that
existing programs expect; those endpoints list the header.

## Sessions

If you are signed in to the console in this browser, the requests of this page use that session: nothing needs to be
entered. A key that you enter is used instead.

Other programs sign in with \`POST /v2/checkcreds/\` and \`POST /v2/login/\`. They send \`Authorization: Token <token>\`
with the cookie that the sign-in sets. On everything but GET they also send the value of the cookie \`muster-xsrf\` (with
HTTPS \`__Host-muster-xsrf\`; \`XSRF-TOKEN\` has one too) in the header \`X-XSRF-TOKEN\`.

## Requests and responses

- Instants are ISO 8601 in UTC.
- Lists accept \`page\` and \`page_size\`; without \`page\` they answer the plain array.
- Unknown fields of a body are refused, never dropped.
- A write with an \`Idempotency-Key\` header happens once, however often it is repeated.
- Refused requests answer \`{"detail", "code", "fields", "request_id"}\`: \`detail\` is for people, \`code\` for programs.

The whole description as a file: [openapi.json](/openapi.json).
`.trim()
