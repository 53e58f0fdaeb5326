import { z } from 'zod'

// The content security policy allows no eval; without this zod would try it once and the browser would report it.
// A module of its own, imported first: the first schema that is parsed decides.
z.config({ jitless: true })
