// Libraries read this once, when they are loaded; outside production they put request data into their errors.
process.env.NODE_ENV = 'production'
