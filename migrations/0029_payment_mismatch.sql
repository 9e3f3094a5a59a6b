CREATE INDEX payments_mismatch ON payments (problem) WHERE problem = 'amount_differs';
