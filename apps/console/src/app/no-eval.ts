import { z } from 'zod'

// The content security policy allows no eval. Without this, zod tries it once and the browser reports a violation.
// A module of its own, imported first, because the first parsed schema decides.
z.config({ jitless: true })
