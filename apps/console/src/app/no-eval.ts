// The content security policy allows no eval. Without this, zod tries it once and the browser reports a violation.
// A module of its own, imported first, because the first parsed schema decides. zod itself is loaded later, if at all,
// and takes its configuration from here.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
