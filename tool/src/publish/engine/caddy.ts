/** The start of every Caddyfile. */
export const caddyOptions = (admin: string) => `{
	admin ${admin}
	grace_period 10s
	servers {
		timeouts {
			read_header 10s
			read_body 60s
			idle 5m
		}
	}
}`;

/** Caddy's answer if no backend answers: a problem like every other failure. */
export const caddyErrors = `handle_errors {
		header Content-Type application/problem+json
		header Cache-Control no-store
		header -Server
		respond \`{"type":"about:blank","title":"{err.status_text}","status":{err.status_code},"code":"unavailable","detail":"The service does not answer; try again shortly."}\`
	}`;
